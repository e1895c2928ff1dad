// SPDX-License-Identifier: Apache-2.0
// LoadOnnxModel: an ONNX model as a program of the dialect `op` and the values
// of its states: the first half of LoadModel (static_graph/model/load_model.h),
// for those who go on otherwise.
#ifndef SWITCHYARD_STATIC_GRAPH_MODEL_ONNX_MODEL_H_
#define SWITCHYARD_STATIC_GRAPH_MODEL_ONNX_MODEL_H_

#include <string>

#include "framework/base/status.h"
#include "static_graph/ir/context.h"
#include "static_graph/model/paddle_program.h"
#include "static_graph/translate/onnx/onnx_translator.h"

namespace switchyard::static_graph {

// Reads the model in a file, which is mapped: weights are the file's own memory
// where they are aligned, copied where they are not, and pages that nobody
// writes are shared. Elements in other files are looked for beside it. The `op`
// dialect is registered with `context`, which outlives the result. `fold` as
// TranslateOnnxProgram has it.
//
// IsMissingFile for a file that isn't there; InvalidArgument for one that
// contradicts the format or itself; Unimplemented as TranslateOnnxProgram.
// Errors name the file.
absl::StatusOr<LoadedProgram> LoadOnnxModel(ir::Context* context,
                                            const std::string& path,
                                            const FoldConstants& fold);
// Does so with bytes in memory, whose tensors have all their elements in them.
// Errors name "program".
absl::StatusOr<LoadedProgram> LoadOnnxBytes(ir::Context* context,
                                            std::string bytes,
                                            const FoldConstants& fold);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_MODEL_ONNX_MODEL_H_
