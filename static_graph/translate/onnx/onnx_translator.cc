// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/onnx/onnx_translator.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/add.gen.h"
#include "static_graph/dialect/rng_state.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/verifier.h"
#include "static_graph/translate/control/named_op.h"
#include "static_graph/translate/onnx/check_nodes.h"
#include "static_graph/translate/onnx/onnx_block.h"

namespace switchyard::static_graph {
namespace {

using ElementRank = OnnxProgram::ElementRank;

// `rank` is that of the elements of sequences of which the file does not say.
absl::Status AddFeeds(int rank, OnnxTranslation* translation,
                      OnnxScope* scope) {
  const OnnxBlock& graph = translation->model.blocks(0);
  ir::Program* const program = translation->into;
  for (const std::string_view text : graph.inputs()) {
    const std::string name(text);
    const VariableFacts& facts = graph.facts(graph.IndexOf(text));
    const bool open =
        translation->model.ElementRankOf(facts) != ElementRank::kSaid;
    SY_ASSIGN_OR_RETURN(const TensorSpec spec,
                        open ? translation->model.SpecOf(facts, rank)
                             : translation->model.SpecOf(facts));
    translation->budget.TakePort(name.size());
    SY_RETURN_IF_ERROR(translation->budget.Check());
    SY_RETURN_IF_ERROR(scope->Set(
        name, program->AddFeed(name, program->context()->GetTensorType(spec))));
  }
  return absl::OkStatus();
}

// The random state after `streams` draws: the next run draws other numbers.
absl::StatusOr<ir::Value> NextRandomState(ir::Builder& builder, ir::Value rng,
                                          int64_t streams) {
  ir::Context* const context = builder.context();
  const int64_t step[] = {0, streams};
  SY_ASSIGN_OR_RETURN(
      const ir::Attribute constant,
      context->GetConstant(
          context->GetTensorType(DataType::kInt64, Shape({2})),
          std::string_view(reinterpret_cast<const char*>(step), sizeof(step))));
  return ResultFor("random numbers need",
                   AddOp::Build(builder, rng, builder.Constant(constant)));
}

absl::Status Return(ir::Builder& builder, const OnnxScope& scope,
                    OnnxTranslation* translation) {
  std::vector<ir::NamedValue> fetches;
  for (const std::string_view text : translation->model.blocks(0).outputs()) {
    const std::string name(text);
    translation->budget.TakePort(name.size());
    SY_RETURN_IF_ERROR(translation->budget.Check());
    absl::StatusOr<ir::Value> value = translation->Read(builder, scope, name);
    if (!value.ok()) return Annotate(value.status(), "output");
    fetches.push_back({name, *value});
  }
  std::vector<ir::NamedValue> states;
  if (translation->rng) {
    SY_ASSIGN_OR_RETURN(
        const ir::Value next,
        NextRandomState(builder, translation->rng, translation->streams));
    states.push_back({kRngState, next});
  }
  translation->into->Return(fetches, states);
  return absl::OkStatus();
}

absl::Status Translate(int rank, OnnxTranslation* translation) {
  ir::Program* const program = translation->into;
  ir::Builder builder(program->context(), &program->entry());
  OnnxScope scope;
  SY_RETURN_IF_ERROR(translation->budget.Check());
  SY_RETURN_IF_ERROR(AddFeeds(rank, translation, &scope));
  SY_RETURN_IF_ERROR(TranslateOnnxBlock(0, builder, &scope, translation));
  SY_RETURN_IF_ERROR(Return(builder, scope, translation));
  SY_RETURN_IF_ERROR(translation->budget.Check());
  return translation->budget.CheckProgram();
}

absl::StatusOr<TranslatedProgram> TranslateWithRank(const OnnxProgram& model,
                                                    std::string_view name,
                                                    ir::Context* context,
                                                    const FoldConstants& fold,
                                                    int rank) {
  ir::Program program(context, name);
  OnnxTranslation translation(model, &program);
  translation.fold = fold;
  int64_t nodes = 0;
  for (int i = 0; i < model.blocks_size(); ++i) {
    nodes += model.blocks(i).ops_size();
  }
  translation.operators_left = LoadBudget::MaxTranslated(nodes);
  SY_RETURN_IF_ERROR(Translate(rank, &translation));
  SY_RETURN_IF_ERROR(ir::Verify(program));
  return TranslatedProgram{std::move(program), std::move(translation.states)};
}

// Returns the least that the file says of a sequence which is an input, and its
// name.
std::pair<ElementRank, std::string> LeastSaid(const OnnxProgram& model) {
  const OnnxBlock& graph = model.blocks(0);
  std::pair<ElementRank, std::string> least = {ElementRank::kSaid, ""};
  for (const std::string_view name : graph.inputs()) {
    const ElementRank said =
        model.ElementRankOf(graph.facts(graph.IndexOf(name)));
    if (said > least.first) least = {said, std::string(name)};
  }
  return least;
}

}  // namespace

// No type here has an unknown rank. Where the file does not say one, it is that
// with which the model has a meaning.
absl::StatusOr<TranslatedProgram> TranslateOnnxProgram(
    const OnnxProgram& model, std::string_view name, ir::Context* context,
    const FoldConstants& fold) {
  SY_RETURN_IF_ERROR(CheckOnnxNodes(model));
  const auto [said, sequence] = LeastSaid(model);
  absl::StatusOr<TranslatedProgram> found =
      TranslateWithRank(model, name, context, fold, 0);
  if (said == ElementRank::kSaid) return found;
  if (found.ok() && said == ElementRank::kNoAxes) return found;
  for (int rank = 1; rank < kMaxRank; ++rank) {
    absl::StatusOr<TranslatedProgram> other =
        TranslateWithRank(model, name, context, fold, rank);
    if (!other.ok()) continue;
    if (found.ok()) {
      return ArgumentError(
          absl::StrCat("sequence '", sequence, "'"),
          "described with the shape of its elements, or used where one rank is "
          "right",
          "no shape");
    }
    found = std::move(other);
    if (said == ElementRank::kNoAxes) break;
  }
  return found;
}

}  // namespace switchyard::static_graph
