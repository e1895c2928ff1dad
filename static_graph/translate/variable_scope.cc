// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/variable_scope.h"

namespace switchyard::static_graph {

VariableScope::VariableScope(const ForeignProgram* program,
                             const ForeignBlock* block,
                             const VariableScope* around, LoadBudget* budget)
    : program_(program),
      block_(block),
      around_(around),
      budget_(budget),
      values_(block == nullptr ? 0 : static_cast<size_t>(block->vars_size())) {
  Hold(values_.size() * sizeof(ir::Value));
}

VariableScope::VariableScope(const ForeignBlock& block, LoadBudget* budget)
    : VariableScope(&block.program(), &block, nullptr, budget) {}

VariableScope::VariableScope(const ForeignBlock& block,
                             const VariableScope* around)
    : VariableScope(&block.program(), &block, around, around->budget_) {}

VariableScope::VariableScope(const VariableScope* around)
    : VariableScope(around->program_, nullptr, around, around->budget_) {}

VariableScope::Variable& VariableScope::Other(const std::string& name) {
  const auto [found, added] = others_.try_emplace(name);
  if (added) Hold(sizeof(VariableFacts) + LoadBudget::SizeOfEntry(name));
  return found->second;
}

int VariableScope::NumberOf(const std::string& name) const {
  const int number = block_ == nullptr ? -1 : block_->IndexOf(name);
  // A persistable variable lives with the program, whatever block names it.
  const bool elsewhere =
      number >= 0 && around_ != nullptr && block_->facts(number).persistable;
  return elsewhere ? -1 : number;
}

void VariableScope::Declare(const std::string& name,
                            const VariableFacts& facts) {
  const int number = NumberOf(name);
  if (number >= 0 && block_->facts(number).offset == facts.offset) return;
  Variable& variable = Other(name);
  variable.facts = facts;
  if (number >= 0) variable.value = values_[number];
}

void VariableScope::Set(const std::string& name, ir::Value value) {
  const int number = NumberOf(name);
  // A variable that Declare() has described again is in others_, too.
  if (number < 0 || (!others_.empty() && Contains(others_, name))) {
    Other(name).value = value;
  } else {
    values_[number] = value;
  }
}

void VariableScope::SetShaped(const std::string& name, ir::Value value) {
  const auto [found, added] = shaped_.try_emplace(name);
  if (added) Hold(LoadBudget::SizeOfEntry(name));
  found->second = value;
}

const VariableFacts* VariableScope::Find(const std::string& name) const {
  for (const VariableScope* scope = this; scope; scope = scope->around_) {
    const auto found = scope->others_.find(name);
    if (found != scope->others_.end() && found->second.facts.offset != 0) {
      return &found->second.facts;
    }
    const int number = scope->NumberOf(name);
    if (number >= 0) return &scope->block_->facts(number);
  }
  return nullptr;
}

const VariableFacts* VariableScope::FindArray(const std::string& name) const {
  const VariableFacts* const found = Find(name);
  const bool array = found != nullptr && found->Is(VariableKind::kTensorArray);
  return array ? found : nullptr;
}

absl::StatusOr<TensorSpec> VariableScope::SpecOf(
    const VariableFacts& facts) const {
  return program_->SpecOf(facts);
}

ir::Value VariableScope::Get(const std::string& name) const {
  for (const VariableScope* scope = this; scope; scope = scope->around_) {
    // One of the same name further out is another variable.
    const auto found = scope->others_.find(name);
    if (found != scope->others_.end()) return found->second.value;
    const int number = scope->NumberOf(name);
    if (number >= 0) return scope->values_[number];
  }
  return ir::Value();
}

ir::Value VariableScope::GetShaped(const std::string& name) const {
  for (const VariableScope* scope = this; scope; scope = scope->around_) {
    const auto found = scope->shaped_.find(name);
    if (found != scope->shaped_.end()) return found->second;
  }
  return ir::Value();
}

}  // namespace switchyard::static_graph
