// SPDX-License-Identifier: Apache-2.0
// CheckOnnxNodes: whether the nodes of a model are such as can be translated,
// before any of them is.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_CHECK_NODES_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_CHECK_NODES_H_

#include <cstdint>
#include <string>

#include "framework/base/status.h"
#include "static_graph/foreign/foreign_operator.h"
#include "static_graph/foreign/onnx/onnx_program.h"

namespace switchyard::static_graph {

// Returns how errors name a node: "node 12 'conv1' (Conv)", in graphs inside
// and functions "block 2, node 12".
std::string OnnxNodePlace(int block, int index, const ForeignOperator& op);

// Returns the first opset in which the operator is as it is in the block's; 0
// for a domain without facts.
int64_t VersionOfNode(const OnnxBlock& block, const ForeignOperator& op);

// Reports all problems of the nodes in one error: domains that are not imported
// or have too new an opset, unknown operators (with the nearest name),
// operators that nothing here computes, unknown attributes, wrong numbers of
// inputs and outputs. Unimplemented if an operator is, else InvalidArgument.
absl::Status CheckOnnxNodes(const OnnxProgram& model);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_CHECK_NODES_H_
