// SPDX-License-Identifier: Apache-2.0
// LoadModel: a model of any format, from files or from memory, ready to run.
// The one recipe for it: which passes, what may be relaxed, which policy.
// Python's sy.load and what stands on it (./sy run, inspect, explain, product)
// call it.
//
//   SY_ASSIGN_OR_RETURN(LoadedModel model,
//                       LoadModel(AllDialectOps(), "inference_model"));
//   SY_ASSIGN_OR_RETURN(
//       const std::vector<Fetch> fetches,
//       model.main.executable->Run({{"image", image}}, &model.state));
#ifndef SWITCHYARD_STATIC_GRAPH_MODEL_LOAD_MODEL_H_
#define SWITCHYARD_STATIC_GRAPH_MODEL_LOAD_MODEL_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/place.h"
#include "phi/core/kernel_table.h"
#include "phi/selection/policy.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/executor/state.h"
#include "static_graph/ir/context.h"
#include "static_graph/ir/program.h"
#include "static_graph/program/executable.h"

namespace switchyard::static_graph {

// The options of LoadModel().
struct LoadOptions {
  // The file of an imported program's weights, or a folder with one each; empty
  // where they lie beside the program (FindModelFiles()).
  std::string weights = {};
  phi::selection::Policy policy = {};
  // Where the program runs and its states lie.
  Place place = Place::Cpu();
  // The kernels; null for KernelTables::Current(). Outlives the model.
  const phi::KernelTable* kernels = nullptr;
  // Changes what may be relaxed, as ApplyChoices() reads it: "exact",
  // "fusion=exact,denormals=flush". Choices that it doesn't name are those that
  // a saved program has; an imported one that trains nothing has
  // fusion=relaxed, one that updates states is exact and stays so.
  std::string relaxed = {};
  // Passes of an imported program that are left out. A saved program went
  // through its passes before.
  std::vector<std::string> without = {};
  // Calls of an imported program decide on libraries (use_mkldnn and
  // use_cudnn), by policies of their operations: where one declines a library,
  // none of its kernels serves it.
  bool library_attributes = false;
  // Kernels that are not those which a saved program has locked are an error,
  // and no warning.
  bool strict_kernels = false;
  // Gets the program as it was read, with the name "imported", and after each
  // pass with the pass's name.
  std::function<void(std::string_view stage, const ir::Program& program)>
      at_stage = nullptr;
};

// A program and what it was compiled to.
struct ModelProgram {
  ir::Program graph;  // Of the dialect `op`, after its passes.
  std::shared_ptr<const Executable> executable;
};

// A model that is ready to run. It can be moved and not assigned to, so the
// context outlives the graphs. The programs may run from several threads at
// once; `state` follows its own rules.
struct LoadedModel {
  const std::shared_ptr<ir::Context> context;  // Of the graphs.
  ModelProgram main;
  // Gives the states their first values, in a run without feeds: of a training
  // program that was imported, and no other.
  std::optional<ModelProgram> startup;
  // The states hold zeros, since no weights were there: run `startup` first.
  bool needs_startup = false;
  State state;
  CompileOptions options;  // With which both were compiled.
  // A sentence for the user, with a line for each call whose kernel is not the
  // one that was locked; empty if there is none.
  std::string warning;
};

// Loads the model at `path`: a file that SaveProgram() wrote, an ONNX model, or
// a program of PaddlePaddle by its file or its folder, with its weights. `ops`
// are the operators that programs may have. Nothing is kept of the files but
// the weights of an ONNX model, which stay in its mapping: that file must not
// change as long as the state lives.
//
// IsMissingFile for a file that isn't there, InvalidArgument or DataLoss for
// one that is damaged or of another kind, Unimplemented for what no operator of
// ours does: as LoadPaddleProgram(), LoadOnnxModel() and LoadProgram().
// ArgumentError for
// options that are wrong or do not fit the program, NotFound for a pass in
// `without` that there isn't and for a call that no kernel serves. Errors of
// files name them.
absl::StatusOr<LoadedModel> LoadModel(absl::Span<const DialectOp* const> ops,
                                      const std::string& path,
                                      LoadOptions options = {});

// Does so with bytes in memory, whose format FormatOfBytes() tells: `program`,
// which is freed as soon as it is read, and for an imported one `weights`, all
// in one piece as in a file of them. `options.weights` must be empty.
absl::StatusOr<LoadedModel> LoadModelFromBytes(
    absl::Span<const DialectOp* const> ops, std::string program,
    std::string_view weights, LoadOptions options = {});

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_MODEL_LOAD_MODEL_H_
