// SPDX-License-Identifier: Apache-2.0
// LegacyForm: one item of an entry's `paddle:` list.
#ifndef SWITCHYARD_OPS_GEN_SCHEMA_LEGACY_FORM_H_
#define SWITCHYARD_OPS_GEN_SCHEMA_LEGACY_FORM_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ops_gen/schema/location.h"
#include "ops_gen/schema/value_type.h"

namespace switchyard::ops_gen {

// "X: x" or "X: {to: x, duplicable: true}".
struct LegacySlot {
  std::string name;
  int to = -1;        // Our input or output; -1: known, and not used by us.
  int supplies = -1;  // Our attribute that this input gives where present.
  // Our attribute that is this input's dtype, or its extent along `axis`.
  int gives = -1;
  bool duplicable = false;
  bool dispensable = false;
  bool intermediate = false;
};

// A value that a legacy attribute may have, and what ours is then; without
// `ours` it is the same.
struct LegacyValue {
  Literal value;
  std::optional<Literal> ours;
};

// "axis: axis" or "axis: {to: axis, type: int, default: -1}".
struct LegacyAttr {
  std::string name;
  int to = -1;  // Our attribute; -1: it is checked (`values`) and dropped.
  ValueType type;
  std::optional<Literal> default_value;
  // "unset: 0": where it has this value, it leaves our attribute alone.
  std::optional<Literal> unset;
  // "repeat: -1": our list has this item as many times as the number says.
  std::optional<Literal> repeat;
  // "bound: first" and, in a later attribute, "bound: last": our list has the
  // numbers from one to the other.
  std::string bound;
  // "range: [0, 1]": the least and the most that a number may be.
  std::optional<std::pair<double, double>> range;
  // "only: [0, 1]" or "values: {true: {}}"; others are refused. Empty: any.
  std::vector<LegacyValue> values;
};

// "constants: {value: 0.0}": what our attribute is in this form.
struct LegacyConstant {
  int to = -1;
  Literal value;
};

// Says how a legacy operator type names the slots and attributes of this
// operator. A renaming and no more: a legacy form that computes something else
// is an operator of its own.
struct LegacyForm {
  Location location;
  std::string type;
  std::vector<LegacySlot> inputs;
  std::vector<LegacySlot> outputs;
  std::vector<LegacyAttr> attrs;
  std::vector<LegacyConstant> constants;
  std::vector<std::string> extra;  // Dropped: no value changes a result.
  std::string grad_type;           // "softmax_grad"; "" if it has no gradient.
};

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_SCHEMA_LEGACY_FORM_H_
