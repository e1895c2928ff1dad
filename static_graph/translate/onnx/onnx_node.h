// SPDX-License-Identifier: Apache-2.0
// OnnxNode: what one operator of an ONNX model says, without its values.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ONNX_NODE_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ONNX_NODE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "static_graph/foreign/foreign_operator.h"

namespace switchyard::static_graph {

using Integers = std::vector<int64_t>;

// Inputs and outputs have positions, attributes have names. Schemas have been
// checked before (check_nodes.h), so that nothing here is an error: what a node
// does not have is absent, or `none`. Refers to the operator, which outlives
// it.
class OnnxNode {
 public:
  // `version`: the first opset of the operator's version.
  OnnxNode(const ForeignOperator& op, int64_t version)
      : op_(op), version_(version) {}

  const ForeignOperator& op() const { return op_; }
  const std::string& type() const { return op_.type; }
  int64_t version() const { return version_; }

  int inputs() const { return op_.inputs[0].count(); }
  int outputs() const { return op_.outputs[0].count(); }
  // Return the name of a value; empty for one that is left out.
  const std::string& InputName(int input) const;
  const std::string& OutputName(int output) const;
  bool Has(int input) const { return !InputName(input).empty(); }
  bool Wants(int output) const { return !OutputName(output).empty(); }

  // Return an attribute; `none` where the operator does not have one.
  bool HasAttr(std::string_view name) const;
  int64_t Int(std::string_view name, int64_t none) const;
  bool Flag(std::string_view name, bool none) const;
  double Float(std::string_view name, double none) const;
  std::string Text(std::string_view name, const char* none) const;
  // An attribute of another kind counts as none.
  Integers Ints(std::string_view name, const Integers& none = {}) const;
  std::vector<float> Floats(std::string_view name) const;

 private:
  const ForeignOperator& op_;
  const int64_t version_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ONNX_NODE_H_
