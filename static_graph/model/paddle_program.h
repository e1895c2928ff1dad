// SPDX-License-Identifier: Apache-2.0
// LoadPaddleProgram: a model that PaddlePaddle saved (`save_inference_model`,
// fluid 1.x to 3.x), as a program of the dialect `op` and the values of its
// states: the first half of LoadModel (static_graph/model/load_model.h), for
// those who go on otherwise. Saved programs of ours are
// static_graph/program/saved_program.h.
#ifndef SWITCHYARD_STATIC_GRAPH_MODEL_PADDLE_PROGRAM_H_
#define SWITCHYARD_STATIC_GRAPH_MODEL_PADDLE_PROGRAM_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/ir/program.h"
#include "static_graph/model/model_files.h"
#include "static_graph/model/weight_files.h"
#include "static_graph/translate/translated_program.h"

namespace switchyard::static_graph {

// An imported program. Feeds, fetches and states have the names of the old
// variables.
struct LoadedProgram {
  ir::Program program;
  // In the program's order; after them those of `startup` alone. Without
  // kRngState (static_graph/dialect/rng_state.h).
  std::vector<NamedTensor> states;
  // Gives the states their first values, in a run without feeds. Only of a
  // folder with a training program.
  std::optional<ir::Program> startup;
  bool needs_startup = false;  // No weights were there: the states are zeros.
};

// Reads the program of these files, which are not of a saved one, and its
// weights. The `op` dialect is registered with `context` (RegisterDialects over
// AllDialectOps()), which outlives the result.
//
// IsMissingFile for a file that isn't there; InvalidArgument for files that
// contradict the format, themselves or each other: every byte of them is
// accounted for; Unimplemented as TranslateProgram.
// Errors name the file. `libraries` as TranslateProgram() has them.
absl::StatusOr<LoadedProgram> LoadPaddleProgram(
    ir::Context* context, const ModelFiles& files,
    absl::Span<const std::string> libraries = {});
// Does so with the files that FindModelFiles() finds.
absl::StatusOr<LoadedProgram> LoadPaddleProgram(
    ir::Context* context, const std::string& path,
    const std::string& weights = "");
// Does so with bytes in memory: the program, which is freed as soon as it is
// read, and all weights in one piece, as in a file of them. Errors name
// "program" or "weights".
absl::StatusOr<LoadedProgram> LoadPaddleProgram(
    ir::Context* context, ModelFormat format, std::string program,
    std::string_view weights, absl::Span<const std::string> libraries = {});

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_MODEL_PADDLE_PROGRAM_H_
