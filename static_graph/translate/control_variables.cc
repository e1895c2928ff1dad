// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/control_variables.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "framework/base/hash_map.h"

namespace switchyard::static_graph {
namespace {

using Names = std::vector<std::string>;

// Returns the variables that leave a block: the operands of its last operator.
Names YieldedBy(int block, const ForeignProgram& program) {
  const ForeignBlock& yielding = program.blocks(block);
  const ForeignOperator last = yielding.ops(yielding.ops_size() - 1);
  const auto& operands = last.inputs[0].variables;
  return Names(operands.begin(), operands.end());
}

// Variables that hold a value when the loop begins, and variables that are read
// after it; a variable that only an iteration uses is not carried.
absl::StatusOr<LoopVariables> CarriedVariables(const ForeignOperator& op,
                                               const ControlOperator& loop,
                                               const VariableScope& scope,
                                               const Translation& translation) {
  const SharedVariables& shared = translation.shared;
  const SharedVariables::Counts own =
      shared.ReadsOf(absl::MakeConstSpan(&op, 1));
  Names carried;
  for (const std::string& name : shared.WrittenAround(loop.block)) {
    if (scope.Get(name) || scope.FindArray(name) != nullptr ||
        shared.IsReadBeside(own, name)) {
      carried.push_back(name);
    }
  }
  const auto condition =
      std::find(carried.begin(), carried.end(), loop.condition);
  if (condition == carried.end()) {
    return ArgumentError(
        "Condition",
        "a variable that the block writes, or the loop would never end",
        absl::StrCat("'", loop.condition, "'"));
  }
  const auto at = static_cast<int>(condition - carried.begin());
  return LoopVariables{carried, carried, carried, carried, at};
}

// The operands of a loop, whose block has inputs and yields the condition
// first, and after them the values outside that the block writes over.
absl::StatusOr<LoopVariables> PassedVariables(const ControlOperator& loop,
                                              const VariableScope& scope,
                                              const Translation& translation) {
  LoopVariables passed = {
      loop.values, {""}, YieldedBy(loop.block, translation.program), {""}, 0};
  for (size_t i = 0; i < loop.values.size(); ++i) {
    if (scope.Get(loop.values[i])) continue;
    return ArgumentError(absl::StrCat("operand ", i), "one tensor", "none");
  }
  const auto inputs = translation.program.blocks(loop.block).inputs();
  passed.inside.insert(passed.inside.end(), inputs.begin(), inputs.end());
  passed.after.insert(passed.after.end(), loop.results.begin(),
                      loop.results.end());
  for (const std::string& name : translation.shared.WrittenAround(loop.block)) {
    if (!scope.Get(name)) continue;
    for (Names* names :
         {&passed.before, &passed.inside, &passed.next, &passed.after}) {
      names->push_back(name);
    }
  }
  return passed;
}

}  // namespace

absl::StatusOr<LoopVariables> VariablesOfLoop(const ForeignOperator& op,
                                              const ControlOperator& loop,
                                              const VariableScope& scope,
                                              const Translation& translation) {
  return loop.yields ? PassedVariables(loop, scope, translation)
                     : CarriedVariables(op, loop, scope, translation);
}

std::vector<std::string> LastingWrites(absl::Span<const ForeignOperator> ops,
                                       absl::Span<const std::string> writes,
                                       const VariableScope& scope,
                                       const Translation& translation) {
  const SharedVariables& shared = translation.shared;
  const SharedVariables::Counts own = shared.ReadsOf(ops);
  HashSet<std::string> seen;
  std::vector<std::string> lasting;
  for (const std::string& name : writes) {
    const VariableFacts* const described = scope.Find(name);
    const bool lives = described != nullptr && described->persistable;
    const bool lasts = translation.json ? static_cast<bool>(scope.Get(name))
                                        : shared.IsReadBeside(own, name);
    if (!lives && !lasts) continue;
    if (seen.insert(name).second) lasting.push_back(name);
  }
  return lasting;
}

BranchPair YieldingBranches(const ControlOperator& branch,
                            const ForeignProgram& program) {
  BranchPair pair;
  pair.condition = branch.condition;
  pair.then_block = branch.block;
  pair.else_block = branch.else_block;
  const Names by_then = YieldedBy(branch.block, program);
  const Names by_else = YieldedBy(branch.else_block, program);
  for (size_t i = 0; i < branch.results.size(); ++i) {
    pair.choices.push_back({branch.results[i], by_then[i], by_else[i]});
  }
  return pair;
}

}  // namespace switchyard::static_graph
