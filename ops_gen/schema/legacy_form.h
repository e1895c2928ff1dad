// SPDX-License-Identifier: Apache-2.0
// LegacyForm: one item of an entry's `fluid:` list: how a legacy operator type
// names the slots and attributes of this operator. A renaming and no more: a
// legacy form that computes something else is an operator of its own.
#ifndef SWITCHYARD_OPS_GEN_SCHEMA_LEGACY_FORM_H_
#define SWITCHYARD_OPS_GEN_SCHEMA_LEGACY_FORM_H_

#include <optional>
#include <string>
#include <vector>

#include "ops_gen/schema/location.h"
#include "ops_gen/schema/value_type.h"

namespace switchyard::ops_gen {

// "X: x" or "X: {to: x, duplicable: true}".
struct LegacySlot {
  std::string name;
  int to = -1;        // Our input or output; -1: known, and not used by us.
  int supplies = -1;  // Our attribute that this input gives where present.
  bool duplicable = false;
  bool dispensable = false;
  bool intermediate = false;
};

// "axis: {to: axis, type: int, default: -1}".
struct LegacyAttr {
  std::string name;
  int to = -1;  // Our attribute.
  ValueType type;
  std::optional<Literal> default_value;
};

// "constants: {value: 0.0}": what our attribute is in this form.
struct LegacyConstant {
  int to = -1;
  Literal value;
};

struct LegacyForm {
  Location location;
  std::string type;
  std::vector<LegacySlot> inputs;
  std::vector<LegacySlot> outputs;
  std::vector<LegacyAttr> attrs;
  std::vector<LegacyConstant> constants;
  std::vector<std::string> extra;  // Attributes that are dropped.
  std::string grad_type;           // "softmax_grad"; "" if it has no gradient.
};

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_SCHEMA_LEGACY_FORM_H_
