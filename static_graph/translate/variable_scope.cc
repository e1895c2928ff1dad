// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/variable_scope.h"

namespace switchyard::static_graph {

using translate::VarDesc;

VariableScope::VariableScope(const ParsedBlock& block,
                             const VariableScope* around)
    : program_(&block.program()), around_(around) {
  variables_.reserve(static_cast<size_t>(block.vars_size()));
  VarDesc variable;
  for (int i = 0; i < block.vars_size(); ++i) {
    // A persistable variable lives with the program, whatever block names it.
    if (around != nullptr && block.facts(i).persistable) continue;
    block.Read(i, &variable);
    Declare(variable.name(), block.facts(i));
  }
}

VariableScope::VariableScope(const VariableScope* around)
    : program_(around->program_), around_(around) {}

void VariableScope::Declare(const std::string& name,
                            const VariableFacts& facts) {
  variables_[name].facts = facts;
}

const VariableFacts* VariableScope::Find(const std::string& name) const {
  for (const VariableScope* scope = this; scope; scope = scope->around_) {
    const auto found = scope->variables_.find(name);
    if (found == scope->variables_.end()) continue;
    if (found->second.facts.offset != 0) return &found->second.facts;
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
  return SpecOfVariable(program_->ReadVariable(facts));
}

ir::Value VariableScope::Get(const std::string& name) const {
  for (const VariableScope* scope = this; scope; scope = scope->around_) {
    // One of the same name further out is another variable.
    const auto found = scope->variables_.find(name);
    if (found != scope->variables_.end()) return found->second.value;
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
