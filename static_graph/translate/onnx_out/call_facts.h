// SPDX-License-Identifier: Apache-2.0
// CallFacts: what a call of a program says, by the names that the operator's
// entry gives to its inputs, attributes and outputs.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_CALL_FACTS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_CALL_FACTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/types/attribute.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "static_graph/dialect/op_call.h"

namespace switchyard::static_graph {

using Integers = std::vector<int64_t>;

// The first refusal stays: a name that the operator lacks is one, and a value
// that must be known and is not. A fact that is refused or absent reads as
// null, zero or empty. Borrows the call; one function uses it.
class CallFacts {
 public:
  explicit CallFacts(const OpCall* call) : call_(*call) {}

  const OpCall& call() const { return call_; }
  bool ok() const { return refusal_.empty(); }
  const std::string& refusal() const { return refusal_; }
  // Says why ONNX has no form of this call: "an input of strings".
  void Refuse(std::string reason) {
    if (ok()) refusal_ = std::move(reason);
  }

  // ---- Inputs ----
  // Returns an input, or the first of a list.
  ir::Value Value(std::string_view input) { return First(Values(input)); }
  absl::Span<const ir::Value> Values(std::string_view input);
  bool Has(std::string_view input) { return bool(Value(input)); }
  const Shape& ShapeOf(std::string_view input) { return ShapeOf(Value(input)); }
  int Rank(std::string_view input) { return ShapeOf(input).rank(); }
  DataType Dtype(std::string_view input) { return DtypeOf(Value(input)); }
  // Returns the extent of an axis, which must be known.
  int64_t Extent(std::string_view input, int axis);

  // ---- Attributes ----
  // Returns whether no value supplies it, or one that is known.
  bool Known(std::string_view attr);
  int64_t Int(std::string_view attr);
  Scalar Number(std::string_view attr);
  // Returns a floating attribute, or a Scalar.
  double Float(std::string_view attr) { return Number(attr).ToDouble(); }
  bool Flag(std::string_view attr) { return Attr(attr).Get<bool>(); }
  DataType Type(std::string_view attr) { return Attr(attr).Get<DataType>(); }
  std::string_view Text(std::string_view attr);
  Integers Ints(std::string_view attr);
  std::vector<double> Floats(std::string_view attr);
  // Returns an axis as a number that isn't negative.
  int64_t Axis(std::string_view attr, int rank);
  // Returns the values that supply an attribute; null if there are none.
  const SuppliedAttr* Supplied(std::string_view attr);

  // ---- Outputs ----
  absl::Span<const ir::Value> Results(std::string_view output);
  bool Wants(std::string_view output);
  const Shape& OutShape(std::string_view output) {
    return ShapeOf(Result(output));
  }
  DataType OutDtype(std::string_view output) { return DtypeOf(Result(output)); }

 protected:
  // Returns the output that is one value; null if it is not wanted.
  ir::Value Result(std::string_view output) { return First(Results(output)); }

 private:
  static ir::Value First(absl::Span<const ir::Value> values) {
    return values.empty() ? ir::Value() : values[0];
  }
  static const Shape& ShapeOf(ir::Value value);
  static DataType DtypeOf(ir::Value value) {
    return value ? value.tensor_type().dtype() : DataType::kUndefined;
  }
  template <typename Infos>
  int Index(const Infos& infos, const char* kind, std::string_view name);
  AttrRef Attr(std::string_view attr);

  const OpCall& call_;
  std::string refusal_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_CALL_FACTS_H_
