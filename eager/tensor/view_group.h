// SPDX-License-Identifier: Apache-2.0
// ViewGroup: the tensors that share a buffer because views were made of one
// another.
#ifndef SWITCHYARD_EAGER_TENSOR_VIEW_GROUP_H_
#define SWITCHYARD_EAGER_TENSOR_VIEW_GROUP_H_

#include <atomic>

#include "framework/memory/ref_ptr.h"

namespace switchyard::eager {

// Stands for the tensors that share a buffer because views were made of one
// another. Each member holds a reference; a member that holds the only one may
// be written in place although it was a view once. Detached tensors are no
// members: they share the version counter only. Thread-safe.
class ViewGroup : public RefCounted<ViewGroup> {
 public:
  // Returns true if some member has required grad.
  bool requires_grad() const { return requires_grad_.load(); }
  void SetRequiresGrad() { requires_grad_.store(true); }

 private:
  std::atomic<bool> requires_grad_{false};
};

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_TENSOR_VIEW_GROUP_H_
