// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/load_any.h"

#include "static_graph/dialect/register_dialects.h"
#include "static_graph/translate/onnx/onnx_translator.h"
#include "static_graph/translate/testing.h"

namespace switchyard::static_graph {

absl::Status LoadAny(
    const absl::StatusOr<std::unique_ptr<const OnnxProgram>>& read) {
  // A context keeps every type that was ever made in it.
  constexpr int kProgramsPerContext = 500;
  static int programs = 0;
  static std::unique_ptr<ir::Context> context;
  SY_RETURN_IF_ERROR(read.status());
  if (programs++ % kProgramsPerContext == 0) {
    context = std::make_unique<ir::Context>();
    SY_RETURN_IF_ERROR(RegisterDialects(context.get(), LoadableOps()));
  }
  const OnnxProgram& model = **read;
  SY_ASSIGN_OR_RETURN(const TranslatedProgram translated,
                      TranslateOnnxProgram(model, "m", context.get()));
  const OnnxBlock& graph = model.blocks(0);
  for (const StateVariable& state : translated.states) {
    SY_RETURN_IF_ERROR(
        model.TensorOf(graph.facts(graph.IndexOf(state.name))).status());
  }
  return absl::OkStatus();
}

bool IsUseless(const absl::Status& status) {
  return !status.ok() &&
         (status.message().empty() || absl::IsInternal(status) ||
          absl::IsUnknown(status) || absl::IsCancelled(status));
}

}  // namespace switchyard::static_graph
