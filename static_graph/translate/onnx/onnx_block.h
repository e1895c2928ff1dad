// SPDX-License-Identifier: Apache-2.0
// TranslateOnnxBlock: the nodes of a graph, or of the body of a function, as
// operations of ours, one after the other.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ONNX_BLOCK_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ONNX_BLOCK_H_

#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/value.h"
#include "static_graph/translate/onnx/onnx_translation.h"

namespace switchyard::static_graph {

// Translates the nodes of block number `block`, whose inputs `scope` has.
// Errors name the node.
absl::Status TranslateOnnxBlock(int block, ir::Builder& builder,
                                OnnxScope* scope, OnnxTranslation* translation);

// Translates a graph inside another, of an If or a Loop, whose inputs are
// these, and returns its outputs. ArgumentError if it has another number of
// inputs.
absl::StatusOr<std::vector<ir::Value>> TranslateOnnxGraph(
    int block, ir::Builder& builder, const OnnxScope& around,
    absl::Span<const ir::Value> inputs, OnnxTranslation* translation);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ONNX_BLOCK_H_
