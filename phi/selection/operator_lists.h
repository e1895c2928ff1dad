// SPDX-License-Identifier: Apache-2.0
// OperatorLists: which operators the kernels of a backend may serve, by name: a
// part of a selection policy (phi/selection/policy.h).
#ifndef SWITCHYARD_PHI_SELECTION_OPERATOR_LISTS_H_
#define SWITCHYARD_PHI_SELECTION_OPERATOR_LISTS_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "framework/device/backend.h"

namespace switchyard::phi::selection {

// The operators that a policy gives to one backend: with `on`, those alone;
// those of `off` never. Names are compared whole, gradients have their own.
struct OperatorList {
  const BackendInfo* backend = nullptr;
  bool limited = false;  // There is a list `on`, which may be empty.
  std::set<std::string, std::less<>> on;
  std::set<std::string, std::less<>> off;

  bool Admits(std::string_view op) const {
    return off.find(op) == off.end() && (!limited || on.find(op) != on.end());
  }
};

// Immutable, and kept for the life of the process: equal lists are one object,
// so that a Policy that points to it stays a plain value, which is compared and
// copied in each call. Any thread may use one.
class OperatorLists {
 public:
  // Returns the one object with these lists, one for each backend; null where
  // none of them limits anything. Thread-safe.
  static const OperatorLists* Intern(std::vector<OperatorList> lists);

  // Returns the list of a backend; null if it may serve every operator.
  const OperatorList* Find(const BackendInfo& backend) const;

  // "on=onednn:conv2d+matmul,off=onednn:softmax", as ParsePolicy reads it.
  std::string ToString() const;

 private:
  explicit OperatorLists(std::vector<OperatorList> lists)
      : lists_(std::move(lists)) {}

  std::vector<OperatorList> lists_;  // Sorted by the backends' names.
};

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_OPERATOR_LISTS_H_
