// SPDX-License-Identifier: Apache-2.0
// OutCall: one operation of a program and the ONNX nodes that are made of it.
// The functions by family are in out_forms.h.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_OUT_CALL_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_OUT_CALL_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/translate/onnx_out/onnx_out.h"

namespace switchyard::static_graph {

// Read and written by one function; the first refusal ends it, and later calls
// do nothing that lasts: the exporter takes back the nodes. Names of arguments
// that the operator lacks are errors of the program's author, and Internal.
class OutCall {
 public:
  OutCall(OnnxOut* out, const OpCall* call) : out_(*out), call_(*call) {}

  int64_t opset() const { return out_.opset(); }
  const OpCall& call() const { return call_; }
  bool ok() const { return refusal_.empty(); }
  const std::string& refusal() const { return refusal_; }
  // Says why ONNX has no form of this call: "an input of strings".
  void Refuse(std::string reason);

  // ---- Inputs, by the names that the entry gives them ----
  bool Has(std::string_view input);
  ir::Value Value(std::string_view input);
  OnnxName In(std::string_view input);  // Empty if it is absent.
  std::vector<OnnxName> List(std::string_view input);
  const Shape& ShapeOf(std::string_view input);
  int Rank(std::string_view input) { return ShapeOf(input).rank(); }
  DataType Dtype(std::string_view input);
  // The extent of an axis, which must be known.
  int64_t Extent(std::string_view input, int axis);

  // ---- Attributes ----
  bool Known(std::string_view attr);  // No value supplies it, or is known.
  int64_t Int(std::string_view attr);
  double Float(std::string_view attr);  // A floating one, or a Scalar.
  Scalar Number(std::string_view attr);
  bool Flag(std::string_view attr);
  std::string_view Text(std::string_view attr);
  DataType Type(std::string_view attr);
  Integers Ints(std::string_view attr);
  std::vector<double> Floats(std::string_view attr);
  // A list as an int64 tensor of one axis, written or supplied.
  OnnxName IntTensor(std::string_view attr);
  // A number as a scalar tensor of a dtype, written or supplied.
  OnnxName NumberTensor(std::string_view attr, DataType dtype);
  // An axis as a number that isn't negative.
  int64_t Axis(std::string_view attr, int rank);

  // ---- Constants ----
  OnnxName IntList(const Integers& numbers);
  OnnxName FloatList(const std::vector<double>& numbers);  // Of float32.
  OnnxName Scalar0(double number, DataType dtype);         // Of no axes.

  // ---- Nodes ----
  OnnxName Node(std::string_view type, std::vector<OnnxName> inputs,
                std::vector<WrittenAttribute> attributes = {});
  std::vector<OnnxName> Nodes(std::string_view type,
                              std::vector<OnnxName> inputs, size_t count,
                              std::vector<WrittenAttribute> attributes = {});
  OnnxName Cast(const OnnxName& x, DataType dtype);
  OnnxName Reshape(const OnnxName& x, const Integers& shape);
  OnnxName Unsqueeze(const OnnxName& x, const Integers& axes);
  OnnxName Squeeze(const OnnxName& x, const Integers& axes);
  OnnxName Transpose(const OnnxName& x, const Integers& perm);
  OnnxName Slice(const OnnxName& x, int64_t axis, int64_t begin, int64_t end,
                 int64_t step = 1);
  // Whole numbers; halves go away from 0, those of Round to the even number.
  OnnxName RoundAway(const OnnxName& x, DataType dtype);
  // A reduction such as ReduceSum, over `axes`; all of them if it has none.
  OnnxName Reduce(std::string_view type, const OnnxName& x,
                  const Integers& axes, bool keepdim);
  // The extents of axes [begin, end) of a value.
  OnnxName Extents(const OnnxName& x, int begin, int end);
  // The shape that an output has: numbers where known, else those of `like`
  // along the same axis.
  OnnxName ShapeLike(const Shape& shape, const OnnxName& like);

  // ---- Outputs ----
  bool Wants(std::string_view output);
  const Shape& OutShape(std::string_view output);
  DataType OutDtype(std::string_view output);
  void Out(std::string_view output, const OnnxName& name);
  void OutList(std::string_view output, const std::vector<OnnxName>& names);

 private:
  int InputIndex(std::string_view input);
  int AttrIndex(std::string_view attr);
  int OutputIndex(std::string_view output);
  AttrRef Attr(std::string_view attr);
  const SuppliedAttr* Supplied(std::string_view attr);
  OnnxName NameOf(ir::Value value);

  OnnxOut& out_;
  const OpCall& call_;
  std::string refusal_;
};

// Returns ONNX's number of a dtype. ONNX has every dtype of programs.
int64_t OnnxTypeNumber(DataType dtype);
// Returns the bytes of one number of a dtype.
std::string BytesOf(const Scalar& number, DataType dtype);
// Returns the bytes of int64 numbers.
std::string BytesOf(const Integers& numbers);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_OUT_CALL_H_
