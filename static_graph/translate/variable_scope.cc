// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/variable_scope.h"

namespace switchyard::static_graph {

using translate::VarDesc;

VariableScope::VariableScope(const translate::BlockDesc& block,
                             const VariableScope* around)
    : around_(around) {
  variables_.reserve(static_cast<size_t>(block.vars_size()));
  for (const VarDesc& variable : block.vars()) {
    // A persistable variable lives with the program, whatever block names it.
    if (around == nullptr || !variable.persistable()) Declare(variable);
  }
}

void VariableScope::Declare(const VarDesc& variable) {
  variables_[variable.name()].description = &variable;
}

const VarDesc* VariableScope::Find(const std::string& name) const {
  for (const VariableScope* scope = this; scope; scope = scope->around_) {
    const auto found = scope->variables_.find(name);
    if (found == scope->variables_.end()) continue;
    if (found->second.description != nullptr) return found->second.description;
  }
  return nullptr;
}

const VarDesc* VariableScope::FindArray(const std::string& name) const {
  const VarDesc* const found = Find(name);
  const bool array =
      found != nullptr && IsKind(*found, VariableKind::kTensorArray);
  return array ? found : nullptr;
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
