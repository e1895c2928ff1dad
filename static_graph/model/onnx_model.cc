// SPDX-License-Identifier: Apache-2.0
#include "static_graph/model/onnx_model.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "framework/base/file.h"
#include "static_graph/foreign/onnx/onnx_program.h"

namespace switchyard::static_graph {
namespace {

using Model = absl::StatusOr<std::unique_ptr<const OnnxProgram>>;

absl::StatusOr<LoadedProgram> Load(ir::Context* context, const Model& read,
                                   const std::string& name,
                                   const FoldConstants& fold) {
  SY_RETURN_IF_ERROR(read.status());
  const OnnxProgram& model = **read;
  SY_ASSIGN_OR_RETURN(TranslatedProgram translated,
                      TranslateOnnxProgram(model, name, context, fold));
  LoadedProgram loaded = {std::move(translated.program), {}, std::nullopt};
  const OnnxBlock& graph = model.blocks(0);
  for (const StateVariable& state : translated.states) {
    SY_ASSIGN_OR_RETURN(DenseTensor tensor,
                        model.TensorOf(graph.facts(graph.IndexOf(state.name))));
    loaded.states.push_back({state.name, std::move(tensor)});
  }
  return loaded;
}

}  // namespace

absl::StatusOr<LoadedProgram> LoadOnnxModel(ir::Context* context,
                                            const std::string& path,
                                            const FoldConstants& fold) {
  const std::string name = std::filesystem::path(path).stem().string();
  absl::StatusOr<LoadedProgram> loaded =
      Load(context, ReadOnnxFile(path), name, fold);
  // Errors of the file system name it already.
  if (loaded.ok() || IsMissingFile(loaded.status())) return loaded;
  return Annotate(loaded.status(), path);
}

absl::StatusOr<LoadedProgram> LoadOnnxBytes(ir::Context* context,
                                            std::string bytes,
                                            const FoldConstants& fold) {
  absl::StatusOr<LoadedProgram> loaded =
      Load(context, ReadOnnxBytes(std::move(bytes)), "model", fold);
  if (loaded.ok()) return loaded;
  return Annotate(loaded.status(), "program");
}

}  // namespace switchyard::static_graph
