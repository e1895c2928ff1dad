// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/branch_pair.h"

#include <string_view>
#include <utility>

#include "static_graph/translate/control/control_operators.h"

namespace switchyard::static_graph {
namespace {

using Names = HashSet<std::string>;

// The places of the operators, counted from the first.
constexpr int kNot = 1;
constexpr int kElse = 2;
constexpr int kCast = 3;
constexpr int kChoices = 4;

// The variable that an operator of this type makes of another; "" for others.
std::string MadeOf(const ForeignOperator& op, std::string_view type,
                   const std::string& variable) {
  if (op.type != type || OnlyVariable(op.inputs, "X") != variable) return "";
  return OnlyVariable(op.outputs, "Out");
}

std::optional<ControlOperator> ReadAs(const ForeignOperator& op,
                                      ControlKind kind) {
  if (ControlKindOf(op.type) != kind) return std::nullopt;
  absl::StatusOr<ControlOperator> control = ReadControlOperator(op);
  if (!control.ok()) return std::nullopt;
  return *std::move(control);
}

// The branches and their condition, and the mask of the choices in `mask`.
std::optional<BranchPair> FindBranches(const ForeignBlock& block, int index,
                                       std::string* mask) {
  if (index + kChoices >= block.ops_size() ||
      ControlKindOf(block.TypeOf(index)) != ControlKind::kConditional) {
    return std::nullopt;
  }
  const auto first = ReadAs(block.ops(index), ControlKind::kConditional);
  if (!first.has_value()) return std::nullopt;
  const std::string negated =
      MadeOf(block.ops(index + kNot), "logical_not", first->condition);
  const auto second =
      ReadAs(block.ops(index + kElse), ControlKind::kConditional);
  *mask = MadeOf(block.ops(index + kCast), "cast", first->condition);
  if (!second.has_value() || negated.empty() || mask->empty() ||
      second->condition != negated) {
    return std::nullopt;
  }
  BranchPair pair;
  pair.condition = first->condition;
  pair.then_block = first->block;
  pair.else_block = second->block;
  return pair;
}

// Whether the variables of the pair are no one else's.
bool StandAlone(const BranchPair& pair, const std::string& negated,
                const std::string& mask, const SharedVariables& shared) {
  const auto& then_writes = shared.WrittenAround(pair.then_block);
  const auto& else_writes = shared.WrittenAround(pair.else_block);
  const Names by_then(then_writes.begin(), then_writes.end());
  const Names by_else(else_writes.begin(), else_writes.end());
  for (const std::string& name : {pair.condition, negated, mask}) {
    if (Contains(by_then, name) || Contains(by_else, name)) return false;
  }
  const SharedVariables::Counts own = shared.ReadsOf(pair.ops);
  for (const BranchPair::Choice& choice : pair.choices) {
    if (!Contains(by_then, choice.then_variable) ||
        Contains(by_else, choice.then_variable) ||
        !Contains(by_else, choice.else_variable) ||
        Contains(by_then, choice.else_variable) ||
        shared.IsReadBeside(own, choice.then_variable) ||
        shared.IsReadBeside(own, choice.else_variable)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<BranchPair> FindBranchPair(const ForeignBlock& block, int index,
                                         const SharedVariables& shared) {
  std::string mask;
  std::optional<BranchPair> pair = FindBranches(block, index, &mask);
  if (!pair.has_value()) return std::nullopt;
  for (int i = index; i < block.ops_size(); ++i) {
    ForeignOperator op = block.ops(i);
    if (i >= index + kChoices) {
      const auto select = ReadAs(op, ControlKind::kSelect);
      if (!select.has_value() || select->condition != mask ||
          select->values.size() != 2) {
        break;
      }
      pair->choices.push_back(
          {select->result, select->values[1], select->values[0]});
    }
    pair->ops.push_back(std::move(op));
  }
  const std::string negated = OnlyVariable(pair->ops[kNot].outputs, "Out");
  if (pair->choices.empty() || !StandAlone(*pair, negated, mask, shared)) {
    return std::nullopt;
  }
  return pair;
}

}  // namespace switchyard::static_graph
