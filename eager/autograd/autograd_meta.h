// SPDX-License-Identifier: Apache-2.0
// AutogradMeta: what autograd keeps for one tensor beyond its place in the
// graph: the gradient and the hooks. Made only for leaves that require grad and
// for tensors with hooks or a kept gradient; shared by the tensor's body and
// the node that takes its gradient, so either may go first.
#ifndef SWITCHYARD_EAGER_AUTOGRAD_AUTOGRAD_META_H_
#define SWITCHYARD_EAGER_AUTOGRAD_AUTOGRAD_META_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "eager/autograd/grad_node.h"
#include "eager/tensor.h"
#include "framework/memory/ref_ptr.h"

namespace switchyard::eager {

// Thread-safe. No lock is held while a hook runs.
class AutogradMeta : public RefCounted<AutogradMeta> {
 public:
  Tensor grad() const;
  void set_grad(Tensor grad);
  bool retain_grad() const { return retain_grad_.load(); }
  void set_retain_grad() { retain_grad_.store(true); }

  // The number by which Remove() knows the hook.
  uint64_t AddHook(GradHook hook);
  uint64_t AddPostAccumulateHook(PostAccumulateHook hook);
  void Remove(uint64_t id);

  // Each gradient hook, in order; none if another thread holds the lock, which
  // might wait for what the caller holds.
  void VisitHooks(absl::FunctionRef<void(const GradHook& hook)> visit) const;
  // Removes all hooks.
  void ClearHooks();

  // Replaces *grad by what the hooks make of it, in order. ArgumentError or
  // TypeError if a hook changes shape or dtype.
  absl::Status RunHooks(Tensor* grad) const;
  // grad() += grad, then the post-accumulate hooks.
  absl::Status Accumulate(Tensor grad, GradSum& sum);

 private:
  absl::Status Add(Tensor grad, GradSum& sum);

  mutable std::mutex mutex_;
  Tensor grad_;
  std::vector<std::pair<uint64_t, GradHook>> hooks_;
  std::vector<std::pair<uint64_t, PostAccumulateHook>> post_hooks_;
  uint64_t next_id_ = 1;
  std::atomic<bool> retain_grad_{false};
};

// Shape and dtype of a gradient against those of its tensor: ArgumentError or
// TypeError for `argument`.
absl::Status CheckGradient(std::string_view argument, const Tensor& grad,
                           const Tensor& like);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_AUTOGRAD_AUTOGRAD_META_H_
