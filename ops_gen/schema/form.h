// SPDX-License-Identifier: Apache-2.0
// Form: how another system calls an operator, one item of an entry's list of a
// vocabulary (`paddle:`, `onnx:`).
#ifndef SWITCHYARD_OPS_GEN_SCHEMA_FORM_H_
#define SWITCHYARD_OPS_GEN_SCHEMA_FORM_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ops_gen/schema/location.h"
#include "ops_gen/schema/value_type.h"

namespace switchyard::ops_gen {

// The vocabularies, as their keys are. PaddlePaddle's is that of its programs
// in protobuf.
inline constexpr char kPaddle[] = "paddle";
inline constexpr char kOnnx[] = "onnx";

// "X: x" or "X: {to: x, duplicable: true}".
struct FormSlot {
  std::string name;
  int to = -1;        // Our input or output; -1: known, and not used by us.
  int supplies = -1;  // Our attribute that this input gives where present.
  // Our attribute that is this input's dtype, or its extent along `axis`.
  int gives = -1;
  bool duplicable = false;
  bool dispensable = false;
  bool intermediate = false;
  // Those that an input may have, where forms of one type differ by it; empty:
  // any.
  std::vector<std::string> dtypes;
};

// A value that an attribute may have, and what ours is then; without
// `ours` it is the same.
struct FormValue {
  Literal value;
  std::optional<Literal> ours;
};

// "axis: axis" or "axis: {to: axis, type: int, default: -1}".
struct FormAttr {
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
  std::vector<FormValue> values;
};

// "constants: {value: 0.0}": what our attribute is in this form.
struct FormConstant {
  int to = -1;
  Literal value;
};

// Says how an operator type of a vocabulary names the slots and attributes of
// this operator. A renaming and no more: a type that computes something else is
// an operator of its own.
struct Form {
  Location location;
  std::string type;
  std::vector<FormSlot> inputs;
  std::vector<FormSlot> outputs;
  std::vector<FormAttr> attrs;
  std::vector<FormConstant> constants;
  std::vector<std::string> extra;  // Dropped: no value changes a result.
  std::string grad_type;           // "softmax_grad"; "" if it has no gradient.
  std::string domain;              // "com.microsoft"
  // The versions of the domain that the form is for: from `since` on, before
  // `before`; 0: no end.
  int since = 0;
  int before = 0;
};

}  // namespace switchyard::ops_gen

#endif  // SWITCHYARD_OPS_GEN_SCHEMA_FORM_H_
