// SPDX-License-Identifier: Apache-2.0
// ExportOnnx: writes a program and its states as an ONNX model. Reading one is
// load_model.h.
#ifndef SWITCHYARD_STATIC_GRAPH_MODEL_EXPORT_ONNX_H_
#define SWITCHYARD_STATIC_GRAPH_MODEL_EXPORT_ONNX_H_

#include <string>

#include "framework/base/status.h"
#include "static_graph/executor/state.h"
#include "static_graph/foreign/onnx/written_model.h"
#include "static_graph/ir/program.h"
#include "static_graph/translate/onnx_out/export_program.h"

namespace switchyard::static_graph {

// Writes what `program`, of the dialect `op`, computes for its fetches to
// `path`: without training, as ExportInference() has it. Errors of
// ExportProgram() and WriteModel(); no file is written where there is one of
// the former.
absl::Status ExportOnnx(const ir::Program& program, const State& state,
                        const std::string& path,
                        const OnnxOutOptions& options = {},
                        ExternalData external = ExternalData::kWhenTooLarge);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_MODEL_EXPORT_ONNX_H_
