// SPDX-License-Identifier: Apache-2.0
// Scope: variables by name, as legacy operators read and write them
// (eager/legacy/tracer.h).
#ifndef SWITCHYARD_EAGER_LEGACY_SCOPE_H_
#define SWITCHYARD_EAGER_LEGACY_SCOPE_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "eager/tensor/tensor.h"

namespace switchyard::eager {

// Variables by name, each a tensor of any kind, which is undefined until it is
// written. One thread at a time.
class Scope {
 public:
  Scope() = default;
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Returns the variable, made if there is none. It stays where it is as long
  // as the scope lives.
  Tensor& Var(std::string_view name) {
    const auto found = variables_.find(name);
    if (found != variables_.end()) return found->second;
    return variables_.emplace(std::string(name), Tensor()).first->second;
  }
  // Returns null if there is none.
  Tensor* FindVar(std::string_view name) {
    const auto found = variables_.find(name);
    return found == variables_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, Tensor, std::less<>> variables_;
};

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_LEGACY_SCOPE_H_
