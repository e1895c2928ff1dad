// SPDX-License-Identifier: Apache-2.0
// Scope: variables by name, as legacy operators read and write them
// (eager/legacy/tracer.h).
#ifndef SWITCHYARD_EAGER_LEGACY_SCOPE_H_
#define SWITCHYARD_EAGER_LEGACY_SCOPE_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eager/tensor/tensor.h"

namespace switchyard::eager {

// Variables by name, each a tensor of any kind, which is undefined until it is
// written. A scope sees the variables of the one that it was made in, and hides
// those of the same name. One thread at a time for a scope and its children.
class Scope {
 public:
  Scope() = default;
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Returns a new scope inside this one, which owns it.
  Scope& NewScope() {
    children_.push_back(std::unique_ptr<Scope>(new Scope(this)));
    return *children_.back();
  }

  // Returns the variable of this scope, made if there is none. It stays where
  // it is as long as the scope lives.
  Tensor& Var(std::string_view name) {
    const auto found = variables_.find(name);
    if (found != variables_.end()) return found->second;
    return variables_.emplace(std::string(name), Tensor()).first->second;
  }
  // Returns null if no scope from here outwards has it.
  Tensor* FindVar(std::string_view name) {
    for (Scope* scope = this; scope != nullptr; scope = scope->parent_) {
      const auto found = scope->variables_.find(name);
      if (found != scope->variables_.end()) return &found->second;
    }
    return nullptr;
  }

 private:
  explicit Scope(Scope* parent) : parent_(parent) {}

  Scope* parent_ = nullptr;
  std::map<std::string, Tensor, std::less<>> variables_;
  std::vector<std::unique_ptr<Scope>> children_;
};

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_LEGACY_SCOPE_H_
