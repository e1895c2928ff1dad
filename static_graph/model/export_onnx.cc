// SPDX-License-Identifier: Apache-2.0
#include "static_graph/model/export_onnx.h"

#include <vector>

#include "static_graph/executor/tensor_copy.h"
#include "static_graph/lowering/expand_composites.h"
#include "static_graph/program/export_inference.h"

namespace switchyard::static_graph {

absl::Status ExportOnnx(const ir::Program& program, const State& state,
                        const std::string& path, const OnnxOutOptions& options,
                        ExternalData external) {
  std::vector<std::string> fetches;
  for (const ir::NamedValue& fetch : program.fetches()) {
    fetches.push_back(fetch.name);
  }
  // Callers pass by position what they pass to the program.
  SY_ASSIGN_OR_RETURN(
      ir::Program inference,
      ExportInference(program, fetches, UnusedArguments::kKeep));
  SY_ASSIGN_OR_RETURN(
      const WrittenModel model,
      ExportProgram(
          &inference, options,
          [&](std::string_view name) -> absl::StatusOr<DenseTensor> {
            const DenseTensor* const found = state.Find(std::string(name));
            if (found != nullptr) return OnHost(*found);
            return absl::InvalidArgumentError(std::string(name) +
                                              ": the state is missing");
          },
          ExpandCall));
  return WriteModel(model, path, external);
}

}  // namespace switchyard::static_graph
