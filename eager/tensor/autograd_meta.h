// SPDX-License-Identifier: Apache-2.0
// AutogradMeta: the gradient and the hooks of one tensor.
#ifndef SWITCHYARD_EAGER_TENSOR_AUTOGRAD_META_H_
#define SWITCHYARD_EAGER_TENSOR_AUTOGRAD_META_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "eager/tensor/grad_node.h"
#include "eager/tensor/tensor.h"
#include "framework/memory/ref_ptr.h"

namespace switchyard::eager {

// Holds what autograd keeps for one tensor beyond its position in the graph:
// the gradient and the hooks. Made only for leaves that require grad and for
// tensors with hooks or a kept gradient; shared by the tensor's TensorImpl and
// the node that takes its gradient, so either may go first. Thread-safe. No
// lock is held while a hook runs.
class AutogradMeta : public RefCounted<AutogradMeta> {
 public:
  Tensor grad() const;
  void set_grad(Tensor grad);
  bool retain_grad() const { return retain_grad_.load(); }
  void set_retain_grad() { retain_grad_.store(true); }

  // Adds a hook and returns the number by which Remove() knows it.
  uint64_t AddHook(GradHook hook);
  uint64_t AddPostAccumulateHook(PostAccumulateHook hook);
  void Remove(uint64_t id);

  // Calls `visit` for each gradient hook, in order; for none if another thread
  // holds the lock, which might wait for what the caller holds.
  void VisitHooks(absl::FunctionRef<void(const GradHook& hook)> visit) const;
  // Removes all hooks.
  void ClearHooks();

  // Replaces *grad by what the hooks make of it, in order. ArgumentError or
  // TypeError if a hook changes shape or dtype.
  absl::Status RunHooks(Tensor* grad) const;
  // Adds `grad` to grad(), then runs the post-accumulate hooks.
  absl::Status Accumulate(Tensor grad, const GradArithmetic& arithmetic);

 private:
  absl::Status Add(Tensor grad, const GradArithmetic& arithmetic);

  mutable std::mutex mutex_;
  Tensor grad_;
  std::vector<std::pair<uint64_t, GradHook>> hooks_;
  std::vector<std::pair<uint64_t, PostAccumulateHook>> post_hooks_;
  uint64_t next_id_ = 1;
  std::atomic<bool> retain_grad_{false};
};

// Checks shape and dtype of a gradient against those of its tensor:
// ArgumentError or TypeError for `argument`.
absl::Status CheckGradient(std::string_view argument, const Tensor& grad,
                           const Tensor& like);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_TENSOR_AUTOGRAD_META_H_
