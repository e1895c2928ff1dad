// SPDX-License-Identifier: Apache-2.0
// TranslateOnnxProgram: an ONNX model as a program of the dialects `op` and
// `cf`. Inputs of its graph become feeds, outputs fetches, the tensors that it
// reads states, except short lists of integers, which are constants. Nodes are
// renamed by the forms that entries have (`onnx:`), or lowered by hand
// (static_graph/translate/onnx/lowerings.h); functions of the model are put in
// the place of their calls.
//
// Not here: files (static_graph/model/onnx_model.h).
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ONNX_TRANSLATOR_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ONNX_TRANSLATOR_H_

#include <string_view>

#include "framework/base/status.h"
#include "static_graph/foreign/onnx/onnx_program.h"
#include "static_graph/translate/onnx/onnx_translation.h"
#include "static_graph/translate/translated_program.h"

namespace switchyard::static_graph {

// The operators of the `op` dialect are registered with `context`, which
// outlives the result. `fold` evaluates extents and axes that models compute
// from constants; without it they stay unknown.
//
// Errors name the node, its number and its own name. Those of CheckOnnxNodes
// come first, all at once. Unimplemented: a node that no operator of ours
// computes, and a value that must be known before the run and is not.
// InvalidArgument: contradictions in the model or to the operators' InferMeta.
absl::StatusOr<TranslatedProgram> TranslateOnnxProgram(
    const OnnxProgram& model, std::string_view name, ir::Context* context,
    const FoldConstants& fold = nullptr);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_ONNX_TRANSLATOR_H_
