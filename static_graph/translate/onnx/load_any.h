// SPDX-License-Identifier: Apache-2.0
// LoadAny: loads a model from any bytes, for the fuzz target and the test of
// its corpus.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_LOAD_ANY_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_LOAD_ANY_H_

#include <memory>

#include "framework/base/status.h"
#include "static_graph/foreign/onnx/onnx_program.h"

namespace switchyard::static_graph {

// Translates the model that was read and reads its weights. Returns the first
// error.
absl::Status LoadAny(
    const absl::StatusOr<std::unique_ptr<const OnnxProgram>>& read);

// Returns whether an error tells its reader nothing: an internal one, or one
// without a sentence.
bool IsUseless(const absl::Status& status);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ONNX_LOAD_ANY_H_
