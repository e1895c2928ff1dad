// SPDX-License-Identifier: Apache-2.0
// OutCall: one operation of a program and the ONNX nodes that are made of it.
// Nodes that several families make are out_nodes.h's, the functions by family
// out_forms.h's.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_OUT_CALL_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_OUT_CALL_H_

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/translate/onnx_out/call_facts.h"
#include "static_graph/translate/onnx_out/onnx_out.h"

namespace switchyard::static_graph {

// Read and written by one function; the first refusal ends it, and later calls
// do nothing that lasts: the exporter takes back the nodes.
class OutCall : public CallFacts {
 public:
  // `wide`: for an operator that has no form for bfloat16, or that only moves
  // elements and has none for storage types. Its inputs are cast to dtypes that
  // hold them, and its outputs back.
  OutCall(OnnxOut* out, const OpCall* call, bool wide = false)
      : CallFacts(call), out_(*out), wide_(wide) {}

  int64_t opset() const { return out_.opset(); }

  // ---- Dtypes that the nodes have ----
  DataType Dtype(std::string_view input) {
    return NodeDtype(CallFacts::Dtype(input));
  }
  DataType OutDtype(std::string_view output) {
    return NodeDtype(CallFacts::OutDtype(output));
  }
  DataType NodeDtype(DataType dtype) const;

  // ---- Inputs, by the names that the entry gives them ----
  OnnxName In(std::string_view input);  // Empty if it is absent.
  std::vector<OnnxName> List(std::string_view input);

  DataType DtypeOf(const OnnxName& name) const { return out_.DtypeOf(name); }
  // Returns how long the sequences (LoD) of an input are; empty if it has none.
  OnnxName SequencesOf(std::string_view input) {
    return out_.SequencesOf(Value(input));
  }

  // ---- Attributes ----
  // A list as an int64 tensor of one axis, written or supplied.
  OnnxName IntTensor(std::string_view attr);
  // A number as a scalar tensor of a dtype, written or supplied.
  OnnxName NumberTensor(std::string_view attr, DataType dtype);

  // ---- Constants ----
  OnnxName IntList(const Integers& numbers);
  OnnxName FloatList(const std::vector<double>& numbers);  // Of float32.
  OnnxName Scalar0(const Scalar& number, DataType dtype);  // Of no axes.

  // ---- Nodes, which the opset must have ----
  OnnxName Node(std::string_view type, std::vector<OnnxName> inputs,
                std::vector<WrittenAttribute> attributes = {});
  std::vector<OnnxName> Nodes(std::string_view type,
                              std::vector<OnnxName> inputs, size_t count,
                              std::vector<WrittenAttribute> attributes = {});

  // Returns the graph of a branch or of a step; `write` makes its nodes, and
  // returns the names of its outputs, which `outputs` then have.
  std::shared_ptr<WrittenGraph> Graph(
      std::vector<WrittenPort> inputs, std::vector<WrittenPort> outputs,
      const std::function<std::vector<OnnxName>()>& write);
  // Returns a name that nothing has.
  OnnxName Take(std::string_view wish) { return out_.Take(wish); }

  // ---- Outputs ----
  void Out(std::string_view output, const OnnxName& name);
  void OutSequences(std::string_view output, const OnnxName& lengths) {
    const ir::Value value = Result(output);
    if (ok() && value && !lengths.empty()) out_.SetSequences(value, lengths);
  }
  void OutList(std::string_view output, const std::vector<OnnxName>& names);

 private:
  OnnxName NameOf(ir::Value value);
  void Bind(ir::Value value, const OnnxName& name);

  OnnxOut& out_;
  const bool wide_;
};

// Returns ONNX's number of a dtype. ONNX has every dtype of programs.
int64_t OnnxTypeNumber(DataType dtype);
// Returns the bytes of one number of a dtype.
std::string BytesOf(const Scalar& number, DataType dtype);
// Returns the bytes of int64 numbers.
std::string BytesOf(const Integers& numbers);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_OUT_OUT_CALL_H_
