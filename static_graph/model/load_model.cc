// SPDX-License-Identifier: Apache-2.0
#include "static_graph/model/load_model.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "framework/device/transfer.h"
#include "phi/core/kernel_tables.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/lowering/arithmetic.h"
#include "static_graph/lowering/relaxed_choices.h"
#include "static_graph/model/library_attributes.h"
#include "static_graph/model/model_files.h"
#include "static_graph/model/onnx_model.h"
#include "static_graph/model/paddle_program.h"
#include "static_graph/program/fold_operation.h"
#include "static_graph/program/kernel_lock.h"
#include "static_graph/program/pipeline.h"
#include "static_graph/program/saved_program.h"

namespace switchyard::static_graph {
namespace {

// Changes `choices` as the option says; an empty one leaves them.
absl::Status Change(const std::string& relaxed, RelaxedChoices* choices) {
  return relaxed.empty() ? absl::OkStatus() : ApplyChoices(relaxed, choices);
}

// Fusions round otherwise, so a program that updates states has none of them.
// One that trains would not train in bfloat16 either, where autocast does.
absl::StatusOr<RelaxedChoices> ChoicesOfImport(const std::string& relaxed,
                                               bool updates) {
  RelaxedChoices choices;
  choices.fusion = updates ? Fusion::kExact : Fusion::kRelaxed;
  SY_RETURN_IF_ERROR(Change(relaxed, &choices));
  if (updates && choices.fusion != Fusion::kExact) {
    return ArgumentError("relaxed: fusion",
                         "exact in a program that updates states", "'relaxed'");
  }
  if (updates && IsBfloat16(choices.precision)) {
    return ArgumentError(
        "relaxed: precision",
        "exact or int8 in a program that updates states, which autocast traces "
        "in bfloat16",
        ToString(choices));
  }
  return choices;
}

// A file went through its passes when it was saved, so that the record of
// `relaxed` must agree with what they did.
absl::StatusOr<RelaxedChoices> ChoicesOfFile(const std::string& relaxed,
                                             const RelaxedChoices& saved) {
  RelaxedChoices wanted = saved;
  SY_RETURN_IF_ERROR(Change(relaxed, &wanted));
  // A program of bfloat16 is the same whether it is emulated or not.
  const bool same_precision =
      wanted.precision == saved.precision ||
      (IsBfloat16(wanted.precision) && IsBfloat16(saved.precision));
  if (wanted.fusion == saved.fusion && same_precision) return wanted;
  return ArgumentError(
      "relaxed: fusion and precision",
      absl::StrCat("as the program was saved with, ", ToString(saved)),
      ToString(wanted));
}

// Makes one model. Used once.
class Loader {
 public:
  explicit Loader(LoadOptions options)
      : options_(std::move(options)),
        kernels_(options_.kernels == nullptr ? phi::KernelTables::Current()
                                             : *options_.kernels) {
    compile_.lowering.policy = options_.policy;
    compile_.lowering.place = options_.place;
    compile_.keep_text = false;  // Few want it, and Compile() makes it again.
  }

  // Fills the context. Says what is wrong with the options before a file is
  // read.
  absl::Status Begin(absl::Span<const DialectOp* const> ops);
  // Take what was read, `name` in warnings.
  absl::StatusOr<LoadedModel> Finish(LoadedProgram imported);
  absl::StatusOr<LoadedModel> Finish(SavedProgram saved, std::string_view name);
  ir::Context* context() const { return context_.get(); }
  // Returns what computes constants while a model is translated, as the
  // program would: every bit is the same.
  FoldFunction fold() const {
    LoweringOptions options = compile_.lowering;
    options.relaxed = RelaxedChoices();
    return FoldWithKernels(context(), kernels_, options);
  }
  // Returns the libraries about which the attributes of calls count.
  std::vector<std::string> libraries() const {
    if (!options_.library_attributes) return {};
    return CountingLibraries(kernels_);
  }

 private:
  absl::StatusOr<ModelProgram> Compiled(ir::Program graph) const;
  absl::StatusOr<ModelProgram> Optimized(ir::Program graph, bool shown) const;
  absl::Status SetState(const std::string& name, const DenseTensor& tensor);
  // Returns how kernels differ from those that are locked, in a sentence.
  static absl::StatusOr<std::string> WarningOf(const KernelLock& lock,
                                               const Executable& here,
                                               std::string_view name);

  const LoadOptions options_;
  const phi::KernelTable& kernels_;
  const std::shared_ptr<ir::Context> context_ = std::make_shared<ir::Context>();
  CompileOptions compile_;
  State state_;
};

absl::Status Loader::Begin(absl::Span<const DialectOp* const> ops) {
  RelaxedChoices checked;
  SY_RETURN_IF_ERROR(Change(options_.relaxed, &checked));
  SY_RETURN_IF_ERROR(CheckArithmetic(checked, options_.place));
  return RegisterDialects(context(), ops);
}

absl::StatusOr<ModelProgram> Loader::Compiled(ir::Program graph) const {
  SY_ASSIGN_OR_RETURN(std::shared_ptr<const Executable> executable,
                      Executable::Compile(graph, kernels_, compile_));
  return ModelProgram{std::move(graph), std::move(executable)};
}

absl::StatusOr<ModelProgram> Loader::Optimized(ir::Program graph,
                                               bool shown) const {
  SY_RETURN_IF_ERROR(Optimize(graph, kernels_, compile_.lowering,
                              shown ? options_.at_stage : nullptr,
                              options_.without, /*verified=*/true));
  return Compiled(std::move(graph));
}

absl::Status Loader::SetState(const std::string& name,
                              const DenseTensor& tensor) {
  if (tensor.place() == options_.place) return state_.Set(name, tensor);
  SY_ASSIGN_OR_RETURN(const DenseTensor there,
                      Transferred(tensor, options_.place));
  return state_.Set(name, there);
}

absl::StatusOr<LoadedModel> Loader::Finish(LoadedProgram imported) {
  if (options_.at_stage != nullptr) {
    options_.at_stage("imported", imported.program);
  }
  const bool updates =
      imported.startup.has_value() || !LeavesStates(imported.program);
  SY_ASSIGN_OR_RETURN(compile_.lowering.relaxed,
                      ChoicesOfImport(options_.relaxed, updates));
  compile_.verify = false;  // What the last pass has left was verified.
  for (const NamedTensor& state : imported.states) {
    SY_RETURN_IF_ERROR(SetState(state.name, state.tensor));
  }
  std::optional<ModelProgram> startup;
  if (imported.startup.has_value()) {
    SY_ASSIGN_OR_RETURN(startup,
                        Optimized(*std::move(imported.startup), false));
  }
  SY_ASSIGN_OR_RETURN(ModelProgram main,
                      Optimized(std::move(imported.program), true));
  return LoadedModel{context_,
                     std::move(main),
                     std::move(startup),
                     imported.needs_startup,
                     std::move(state_),
                     compile_,
                     ""};
}

absl::StatusOr<std::string> Loader::WarningOf(const KernelLock& lock,
                                              const Executable& here,
                                              std::string_view name) {
  SY_ASSIGN_OR_RETURN(const KernelLock kernels, here.Kernels());
  const std::vector<std::string> differences = DifferencesOf(lock, kernels);
  if (differences.empty()) return std::string();
  return absl::StrCat("load: ", std::string(name),
                      ": kernels are not those that were locked:\n  ",
                      absl::StrJoin(differences, "\n  "));
}

absl::StatusOr<LoadedModel> Loader::Finish(SavedProgram saved,
                                           std::string_view name) {
  if (options_.at_stage != nullptr) {
    options_.at_stage("imported", saved.program);
  }
  SY_ASSIGN_OR_RETURN(compile_.lowering.relaxed,
                      ChoicesOfFile(options_.relaxed, saved.relaxed));
  for (const State::Entry& entry : saved.state.entries()) {
    SY_RETURN_IF_ERROR(SetState(entry.name, entry.tensor));
  }
  SY_ASSIGN_OR_RETURN(ModelProgram main, Compiled(std::move(saved.program)));
  std::string warning;
  if (saved.lock.has_value()) {
    SY_ASSIGN_OR_RETURN(warning,
                        WarningOf(*saved.lock, *main.executable, name));
  }
  if (options_.strict_kernels && !warning.empty()) {
    return absl::FailedPreconditionError(warning);
  }
  return LoadedModel{
      context_,          std::move(main),     std::nullopt,      false,
      std::move(state_), std::move(compile_), std::move(warning)};
}

}  // namespace

absl::StatusOr<LoadedModel> LoadModel(absl::Span<const DialectOp* const> ops,
                                      const std::string& path,
                                      LoadOptions options) {
  SY_ASSIGN_OR_RETURN(const ModelFiles files,
                      FindModelFiles(path, options.weights));
  Loader loader(std::move(options));
  SY_RETURN_IF_ERROR(loader.Begin(ops));
  if (files.format == ModelFormat::kSaved) {
    SY_ASSIGN_OR_RETURN(SavedProgram saved,
                        LoadProgram(loader.context(), files.program));
    return loader.Finish(std::move(saved), path);
  }
  if (files.format == ModelFormat::kOnnx) {
    SY_ASSIGN_OR_RETURN(
        LoadedProgram imported,
        LoadOnnxModel(loader.context(), files.program, loader.fold()));
    return loader.Finish(std::move(imported));
  }
  SY_ASSIGN_OR_RETURN(
      LoadedProgram imported,
      LoadPaddleProgram(loader.context(), files, loader.libraries()));
  return loader.Finish(std::move(imported));
}

absl::StatusOr<LoadedModel> LoadModelFromBytes(
    absl::Span<const DialectOp* const> ops, std::string program,
    std::string_view weights, LoadOptions options) {
  if (!options.weights.empty()) {
    return ArgumentError("weights", "bytes, as the program is",
                         absl::StrCat("the path ", options.weights));
  }
  Loader loader(std::move(options));
  SY_RETURN_IF_ERROR(loader.Begin(ops));
  const ModelFormat format = FormatOfBytes(program);
  if (format == ModelFormat::kSaved) {
    if (!weights.empty()) {
      return ArgumentError("weights",
                           "empty, since a saved program has its own",
                           absl::StrCat(weights.size(), " bytes"));
    }
    SY_ASSIGN_OR_RETURN(SavedProgram saved,
                        DeserializeProgram(loader.context(), program));
    std::string().swap(program);
    return loader.Finish(std::move(saved), "program");
  }
  if (format == ModelFormat::kOnnx) {
    if (!weights.empty()) {
      return ArgumentError("weights", "empty, since an ONNX model has its own",
                           absl::StrCat(weights.size(), " bytes"));
    }
    SY_ASSIGN_OR_RETURN(
        LoadedProgram imported,
        LoadOnnxBytes(loader.context(), std::move(program), loader.fold()));
    return loader.Finish(std::move(imported));
  }
  SY_ASSIGN_OR_RETURN(
      LoadedProgram imported,
      LoadPaddleProgram(loader.context(), format, std::move(program), weights,
                        loader.libraries()));
  return loader.Finish(std::move(imported));
}

}  // namespace switchyard::static_graph
