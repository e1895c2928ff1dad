// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/program_export.h"

#include <utility>

#include "python/bindings/errors.h"
#include "static_graph/model/export_onnx.h"
#include "static_graph/program/export_inference.h"
#include "static_graph/program/saved_program.h"

namespace switchyard::python {

PyProgram ExportInference(const PyProgram& program,
                          const std::vector<std::string>& fetches) {
  PyProgram part(
      program.context(),
      ValueOrThrow(static_graph::ExportInference(program.graph(), fetches)),
      program.lowering());
  part.SetDetectsAnomalies(program.detects_anomalies());
  return part;
}

void SaveProgram(const PyProgram& program, const std::string& path,
                 PyState& state, bool lock_kernels) {
  static_graph::SaveOptions options;
  static_graph::KernelLock kernels;
  if (lock_kernels) {
    kernels = ValueOrThrow(program.executable().Kernels());
    options.lock = &kernels;
  }
  options.relaxed = program.lowering().relaxed;
  ThrowIfError(
      static_graph::SaveProgram(path, program.graph(), state.state(), options));
}

void ExportOnnx(const PyProgram& program, const std::string& path,
                PyState& state, const static_graph::OnnxOutOptions& options,
                static_graph::ExternalData external) {
  ThrowIfError(Annotate(static_graph::ExportOnnx(program.graph(), state.state(),
                                                 path, options, external),
                        "export_onnx"));
}

}  // namespace switchyard::python
