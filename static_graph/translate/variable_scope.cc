// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/variable_scope.h"

namespace switchyard::static_graph {

using translate::VarDesc;

VariableScope::VariableScope(const translate::BlockDesc& block,
                             const VariableScope* around)
    : around_(around) {
  for (const VarDesc& variable : block.vars()) {
    // A persistable variable lives with the program, whatever block names it.
    if (around == nullptr || !variable.persistable()) Declare(variable);
  }
}

void VariableScope::Declare(const VarDesc& variable) {
  variables_[variable.name()] = &variable;
}

const VarDesc* VariableScope::Find(const std::string& name) const {
  for (const VariableScope* scope = this; scope; scope = scope->around_) {
    const auto found = scope->variables_.find(name);
    if (found != scope->variables_.end()) return found->second;
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
    const auto found = scope->values_.find(name);
    if (found != scope->values_.end()) return found->second;
    // One of the same name further out is another variable.
    if (Contains(scope->variables_, name)) return ir::Value();
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
