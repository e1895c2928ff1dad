// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/errors.h"
#include "python/bindings/programs.h"
#include "static_graph/model/export_onnx.h"

namespace switchyard::python {

void PyProgram::ExportOnnx(const std::string& path, PyState& state,
                           const static_graph::OnnxOutOptions& options,
                           static_graph::ExternalData external) const {
  ThrowIfError(Annotate(
      static_graph::ExportOnnx(graph_, state.state(), path, options, external),
      "export_onnx"));
}

}  // namespace switchyard::python
