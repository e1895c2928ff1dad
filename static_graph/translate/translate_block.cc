// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/translate_block.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/base/hash_map.h"
#include "static_graph/translate/branch_pair.h"
#include "static_graph/translate/check_operators.h"
#include "static_graph/translate/control/control_operators.h"
#include "static_graph/translate/control/structured_control.h"
#include "static_graph/translate/control_gradient.h"
#include "static_graph/translate/control_variables.h"
#include "static_graph/translate/gradient_operator.h"
#include "static_graph/translate/json_operator.h"
#include "static_graph/translate/program_ports.h"
#include "static_graph/translate/recurrent_operator.h"
#include "static_graph/translate/select_operator.h"
#include "static_graph/translate/translate_gradient.h"
#include "static_graph/translate/translate_operator.h"

namespace switchyard::static_graph {
namespace {

using Values = std::vector<ir::Value>;
using Names = std::vector<std::string>;

// The translation of the operators of one block.
class BlockTranslator {
 public:
  BlockTranslator(int index, ir::Builder& builder, VariableScope* scope,
                  Translation* translation)
      : block_(translation->program.blocks(index)),
        index_(index),
        builder_(builder),
        scope_(*scope),
        translation_(*translation) {}

  absl::Status Run();

 private:
  // Counts an operator that is translated.
  absl::Status TakeOperator();
  absl::Status Translate(const ForeignOperator& op);
  absl::Status TranslateJson(ForeignOperator* op);
  absl::Status TranslateWhile(const ForeignOperator& op,
                              const ControlOperator& loop);
  absl::Status TranslateConditional(const ForeignOperator& op,
                                    const ControlOperator& branch);
  absl::Status TranslatePair(const BranchPair& pair);

  absl::StatusOr<ir::Value> FirstValue(ir::Builder& builder,
                                       const std::string& variable) const;
  absl::StatusOr<Values> RunBranch(int block, ir::Builder& inner,
                                   const std::vector<std::string>& variables);
  absl::StatusOr<Values> RunBlock(int block, ir::Builder& inner,
                                  const Names& inside,
                                  absl::Span<const ir::Value> values,
                                  const Names& after);
  RanBlock BeforeBlock(const ForeignOperator& op);
  absl::Status Write(const std::vector<std::string>& variables,
                     const Values& values);
  void Keep(int block, RanBlock ran, const std::vector<std::string>& variables,
            const Values& results);

  const ForeignBlock& block_;
  const int index_;
  ir::Builder& builder_;
  VariableScope& scope_;
  Translation& translation_;
};

absl::Status BlockTranslator::Run() {
  ForeignOperator op;
  for (int i = 0; i < block_.ops_size(); ++i) {
    if (!translation_.json && IsPort(block_.TypeOf(i))) continue;
    block_.Read(i, &op);
    builder_.SetLocation(
        builder_.context()->GetLocation(translation_.into->name(), index_, i));
    const auto pair = FindBranchPair(block_, i, translation_.shared);
    translation_.block = pair.has_value() ? -1 : index_;
    translation_.index = i;
    absl::Status status = pair.has_value()    ? TranslatePair(*pair)
                          : translation_.json ? TranslateJson(&op)
                                              : Translate(op);
    if (status.ok()) status = translation_.budget.Check();
    if (!status.ok()) {
      return Annotate(status, OperatorPlace(index_, i, block_.TypeOf(i)));
    }
    translation_.block = -1;  // That of the operator around this block, too.
    if (pair.has_value()) i += static_cast<int>(pair->ops.size()) - 1;
  }
  return absl::OkStatus();
}

absl::Status BlockTranslator::TakeOperator() {
  if (--translation_.operators_left >= 0) return absl::OkStatus();
  return absl::UnimplementedError(
      "loops must be nested less deeply, or change fewer extents");
}

absl::Status BlockTranslator::TranslateJson(ForeignOperator* op) {
  SY_RETURN_IF_ERROR(TakeOperator());
  if (ControlKindOf(op->type) == ControlKind::kNone) {
    return TranslateJsonOperator(op, builder_, &scope_, &translation_);
  }
  SY_ASSIGN_OR_RETURN(const ControlOperator control, ReadControlOperator(*op));
  return control.kind == ControlKind::kIf
             ? TranslatePair(YieldingBranches(control, translation_.program))
             : TranslateWhile(*op, control);
}

absl::Status BlockTranslator::Translate(const ForeignOperator& op) {
  SY_RETURN_IF_ERROR(TakeOperator());
  if (IsControlGradient(op.type)) {
    return TranslateControlGradient(op, builder_, &scope_, &translation_);
  }
  if (ControlKindOf(op.type) == ControlKind::kNone) {
    if (const phi::LegacyForm* form = FindDifferentiated(op.type)) {
      return TranslateGradient(op, *form, builder_, &scope_, &translation_);
    }
    SY_RETURN_IF_ERROR(TranslateOperator(op, builder_, &scope_, &translation_));
    translation_.stand_ins.Note(op, scope_);
    return absl::OkStatus();
  }
  SY_ASSIGN_OR_RETURN(const ControlOperator control, ReadControlOperator(op));
  switch (control.kind) {
    case ControlKind::kWhile:
      return TranslateWhile(op, control);
    case ControlKind::kConditional:
      return TranslateConditional(op, control);
    case ControlKind::kRecurrent:
      return TranslateRecurrent(control, builder_, &scope_, &translation_);
    case ControlKind::kSelect:
    case ControlKind::kIf:
    case ControlKind::kNone:
      break;
  }
  return TranslateSelect(control, builder_, &scope_, &translation_);
}

absl::StatusOr<ir::Value> BlockTranslator::FirstValue(
    ir::Builder& builder, const std::string& variable) const {
  const ir::Value value = scope_.Get(variable);
  if (value) return value;
  const VariableFacts* const described = scope_.Find(variable);
  if (described == nullptr) {
    return ArgumentError(absl::StrCat("variable '", variable, "'"),
                         "described, since it is read after the block that "
                         "writes it",
                         "no description");
  }
  SY_ASSIGN_OR_RETURN(const TensorSpec spec, scope_.SpecOf(*described));
  return BuildUnwritten(builder, spec);
}

// Adds the operators of `block` to a region; `values` are those of `inside`
// before it, null for none. Returns those of `after` after it.
absl::StatusOr<Values> BlockTranslator::RunBlock(
    int block, ir::Builder& inner, const Names& inside,
    absl::Span<const ir::Value> values, const Names& after) {
  // The values are arguments and results, too; of the names there are copies.
  for (const std::string& name : after) {
    translation_.budget.Take(2 * LoadBudget::SizeOfEntry(name));
  }
  SY_RETURN_IF_ERROR(translation_.budget.Check());
  VariableScope scope(translation_.program.blocks(block), &scope_);
  for (const std::string& name : translation_.shared.WrittenAround(block)) {
    scope.Set(name, scope_.Get(name));
  }
  for (size_t i = 0; i < inside.size(); ++i) {
    if (!inside[i].empty()) scope.Set(inside[i], values[i]);
  }
  SY_RETURN_IF_ERROR(TranslateBlock(block, inner, &scope, &translation_));
  Values results;
  for (const std::string& name : after) {
    SY_ASSIGN_OR_RETURN(results.emplace_back(),
                        ReadVariable(inner, scope, name));
  }
  return results;
}

absl::Status BlockTranslator::Write(const std::vector<std::string>& variables,
                                    const Values& values) {
  for (size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].empty()) continue;
    SY_RETURN_IF_ERROR(
        WriteVariable(variables[i], values[i], translation_, &scope_));
  }
  return absl::OkStatus();
}

// Holds the values of the variables that the operator's block reads.
RanBlock BlockTranslator::BeforeBlock(const ForeignOperator& op) {
  RanBlock ran;
  if (index_ != 0 || translation_.json) return ran;
  const SharedVariables& shared = translation_.shared;
  for (const auto& [name, count] :
       shared.ReadsOf(absl::MakeConstSpan(&op, 1))) {
    if (const ir::Value value = scope_.Get(name)) {
      ran.before[name] = value;
      translation_.budget.Take(LoadBudget::SizeOfEntry(name));
    }
  }
  return ran;
}

// Keeps values for the operator's gradient, for operators of the main block
// alone: loops are translated several times.
void BlockTranslator::Keep(int block, RanBlock ran,
                           const std::vector<std::string>& variables,
                           const Values& results) {
  if (index_ != 0 || translation_.json) return;
  if (!results.empty()) ran.operation = results[0].defining_op();
  for (size_t i = 0; i < results.size(); ++i) {
    ran.after[variables[i]] = results[i];
    translation_.budget.Take(LoadBudget::SizeOfEntry(variables[i]));
  }
  translation_.ran[block] = std::move(ran);
}

absl::Status BlockTranslator::TranslateWhile(const ForeignOperator& op,
                                             const ControlOperator& loop) {
  SY_ASSIGN_OR_RETURN(const LoopVariables variables,
                      VariablesOfLoop(op, loop, scope_, translation_));
  SY_RETURN_IF_ERROR(ReadVariable(builder_, scope_, loop.condition).status());
  Values init;
  for (const std::string& name : variables.before) {
    SY_ASSIGN_OR_RETURN(init.emplace_back(), FirstValue(builder_, name));
  }
  RanBlock ran = BeforeBlock(op);
  ++translation_.loops;
  const absl::StatusOr<Values> results = BuildConditionLoop(
      builder_, init, variables.condition,
      [&](ir::Builder& inner, absl::Span<const ir::Value> values) {
        for (size_t i = 0; i < values.size(); ++i) {
          translation_.stand_ins.HandOn(init[i], values[i]);
        }
        return RunBlock(loop.block, inner, variables.inside, values,
                        variables.next);
      });
  --translation_.loops;
  SY_RETURN_IF_ERROR(results.status());
  const ir::Operation* const operation = (*results)[0].defining_op();
  for (size_t i = 0; i < variables.before.size(); ++i) {
    ran.before[variables.before[i]] = operation->operand(static_cast<int>(i));
  }
  Keep(loop.block, std::move(ran), variables.after, *results);
  return Write(variables.after, *results);
}

absl::Status BlockTranslator::TranslateConditional(
    const ForeignOperator& op, const ControlOperator& branch) {
  const std::vector<std::string> written = LastingWrites(
      absl::MakeConstSpan(&op, 1),
      translation_.shared.WrittenAround(branch.block), scope_, translation_);
  Values before;
  for (const std::string& name : written) before.push_back(scope_.Get(name));
  SY_ASSIGN_OR_RETURN(const ir::Value condition,
                      ReadVariable(builder_, scope_, branch.condition));
  RanBlock ran = BeforeBlock(op);
  Values taken;
  SY_ASSIGN_OR_RETURN(
      const Values results,
      BuildIf(
          builder_, condition,
          [&](ir::Builder& inner) -> absl::StatusOr<Values> {
            SY_ASSIGN_OR_RETURN(
                taken, RunBlock(branch.block, inner, written, before, written));
            return taken;
          },
          [&](ir::Builder& inner) -> absl::StatusOr<Values> {
            Values kept = before;
            for (size_t i = 0; i < kept.size(); ++i) {
              if (!kept[i] ||
                  translation_.stand_ins.Differs(kept[i], taken[i].type())) {
                SY_ASSIGN_OR_RETURN(
                    kept[i],
                    BuildUnwritten(inner, taken[i].tensor_type().spec()));
              }
              SY_ASSIGN_OR_RETURN(kept[i],
                                  BuildLike(inner, kept[i], taken[i].type()));
            }
            return kept;
          }));
  Keep(branch.block, std::move(ran), written, results);
  return Write(written, results);
}

// RunBlock, where each variable that the block does not write holds something.
absl::StatusOr<Values> BlockTranslator::RunBranch(
    int block, ir::Builder& inner, const std::vector<std::string>& variables) {
  // A yield names variables of the block.
  if (translation_.json) return RunBlock(block, inner, {}, {}, variables);
  const auto& writes = translation_.shared.WrittenAround(block);
  const HashSet<std::string> written(writes.begin(), writes.end());
  Values before;
  for (const std::string& name : variables) {
    before.push_back(scope_.Get(name));
    if (before.back() || Contains(written, name)) continue;
    SY_ASSIGN_OR_RETURN(before.back(), FirstValue(inner, name));
  }
  return RunBlock(block, inner, variables, before, variables);
}

absl::Status BlockTranslator::TranslatePair(const BranchPair& pair) {
  const SharedVariables& shared = translation_.shared;
  std::vector<std::string> writes = shared.WrittenAround(pair.then_block);
  const auto& others = shared.WrittenAround(pair.else_block);
  writes.insert(writes.end(), others.begin(), others.end());
  const std::vector<std::string> lasting =
      LastingWrites(pair.ops, writes, scope_, translation_);
  std::vector<std::string> then_names, else_names, results;
  for (const BranchPair::Choice& choice : pair.choices) {
    then_names.push_back(choice.then_variable);
    else_names.push_back(choice.else_variable);
    results.push_back(choice.result);
  }
  for (auto* names : {&then_names, &else_names}) {
    names->insert(names->end(), lasting.begin(), lasting.end());
  }
  SY_ASSIGN_OR_RETURN(const ir::Value condition,
                      ReadVariable(builder_, scope_, pair.condition));
  Values taken;
  SY_ASSIGN_OR_RETURN(
      const Values values,
      BuildIf(
          builder_, condition,
          [&](ir::Builder& inner) -> absl::StatusOr<Values> {
            SY_ASSIGN_OR_RETURN(taken,
                                RunBranch(pair.then_block, inner, then_names));
            return taken;
          },
          [&](ir::Builder& inner) -> absl::StatusOr<Values> {
            SY_ASSIGN_OR_RETURN(Values other,
                                RunBranch(pair.else_block, inner, else_names));
            for (size_t i = 0; i < other.size(); ++i) {
              SY_ASSIGN_OR_RETURN(other[i],
                                  BuildLike(inner, other[i], taken[i].type()));
            }
            return other;
          }));
  // The condition, turned and as a mask: something else may read these as well.
  for (const ForeignOperator& op : pair.ops) {
    if (ControlKindOf(op.type) == ControlKind::kNone) {
      SY_RETURN_IF_ERROR(Translate(op));
    }
  }
  const auto first_lasting = values.begin() + results.size();
  SY_RETURN_IF_ERROR(Write(lasting, Values(first_lasting, values.end())));
  return Write(results, Values(values.begin(), first_lasting));
}

}  // namespace

absl::Status TranslateBlock(int index, ir::Builder& builder,
                            VariableScope* scope, Translation* translation) {
  return BlockTranslator(index, builder, scope, translation).Run();
}

}  // namespace switchyard::static_graph
