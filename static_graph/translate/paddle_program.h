// SPDX-License-Identifier: Apache-2.0
// LoadPaddleProgram: a model that PaddlePaddle saved (`save_inference_model`,
// fluid 1.x to 3.x), as a program of the dialect `op` and the values of its
// states. Saved programs of ours are static_graph/program/saved_program.h.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_PADDLE_PROGRAM_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_PADDLE_PROGRAM_H_

#include <optional>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "static_graph/ir/program.h"
#include "static_graph/translate/translated_program.h"

namespace switchyard::static_graph {

// The value of a state.
struct NamedTensor {
  std::string name;
  DenseTensor tensor;
};

// Feeds, fetches and states have the names of the old variables.
struct LoadedProgram {
  ir::Program program;
  // In the program's order; after them those of `startup` alone. Without
  // kRngState (static_graph/dialect/rng_state.h).
  std::vector<NamedTensor> states;
  // Gives the states their first values, in a run without feeds. Only of a
  // folder with a training program.
  std::optional<ir::Program> startup;
  bool needs_startup = false;  // No weights were there: the states are zeros.
  LibraryUses libraries = {};  // Of `program`.
};

// `path` is the file of the program, or a folder that holds one: __model__ or
// *.pdmodel, or main.pdmodel, a training program, and startup.pdmodel (or both
// as
// *.json), or *.json, the form of PaddlePaddle 3 (in a folder with several: the
// one beside which its weights are). `weights` is the file of all weights,
// sorted by variable name, or a folder in which each weight has a file named as
// its variable. Where it is empty, the file is looked for beside the program,
// as <name>.pdiparams, __params__, params, weights and the only *.pdiparams; if
// there is none, the folder is the program's. Other files are ignored. The `op`
// dialect is registered with `context` (RegisterDialects over AllDialectOps()),
// which outlives the result.
//
// NotFound for a file that is missing; InvalidArgument for files that
// contradict the format, themselves or each other: every byte of them is
// accounted for; Unimplemented as TranslateProgram and
// TranslateJsonProgram. Errors name the file.
absl::StatusOr<LoadedProgram> LoadPaddleProgram(
    ir::Context* context, const std::string& path,
    const std::string& weights = "");

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_PADDLE_PROGRAM_H_
