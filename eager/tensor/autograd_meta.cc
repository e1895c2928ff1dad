// SPDX-License-Identifier: Apache-2.0
#include "eager/tensor/autograd_meta.h"

#include <utility>

namespace switchyard::eager {
namespace {

// Returns true if the gradient may be kept as it is: nobody else can see or
// write its elements. Those of other kinds are not written in place.
bool IsOwned(const Tensor& grad) {
  if (grad.kind() != TensorKind::kDense) return true;
  const DenseTensor& dense = grad.dense();
  return grad.impl()->unique() && dense.allocated() &&
         dense.buffer()->unique() && dense.contiguous();
}

}  // namespace
namespace {

// Takes the hook out; one that does nothing if it is not there.
template <typename Hook>
Hook Extract(std::vector<std::pair<uint64_t, Hook>>* hooks, uint64_t id) {
  for (auto hook = hooks->begin(); hook != hooks->end(); ++hook) {
    if (hook->first != id) continue;
    Hook found = std::move(hook->second);
    hooks->erase(hook);
    return found;
  }
  return Hook();
}

}  // namespace

Tensor AutogradMeta::grad() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return grad_;
}

void AutogradMeta::set_grad(Tensor grad) {
  // The old gradient goes after the lock: freeing it may free a graph.
  std::lock_guard<std::mutex> lock(mutex_);
  std::swap(grad_, grad);
}

uint64_t AutogradMeta::AddHook(GradHook hook) {
  std::lock_guard<std::mutex> lock(mutex_);
  hooks_.emplace_back(next_id_, std::move(hook));
  return next_id_++;
}

uint64_t AutogradMeta::AddPostAccumulateHook(PostAccumulateHook hook) {
  std::lock_guard<std::mutex> lock(mutex_);
  post_hooks_.emplace_back(next_id_, std::move(hook));
  return next_id_++;
}

void AutogradMeta::Remove(uint64_t id) {
  // They go after the lock: they may own anything.
  GradHook hook;
  PostAccumulateHook post_hook;
  std::lock_guard<std::mutex> lock(mutex_);
  hook = Extract(&hooks_, id);
  post_hook = Extract(&post_hooks_, id);
}

void AutogradMeta::VisitHooks(
    absl::FunctionRef<void(const GradHook& hook)> visit) const {
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  for (const auto& [id, hook] : hooks_) visit(hook);
}

void AutogradMeta::ClearHooks() {
  // They go after the lock: they may own anything.
  decltype(hooks_) hooks;
  decltype(post_hooks_) post_hooks;
  std::lock_guard<std::mutex> lock(mutex_);
  hooks.swap(hooks_);
  post_hooks.swap(post_hooks_);
}

absl::Status AutogradMeta::RunHooks(Tensor* grad) const {
  std::vector<std::pair<uint64_t, GradHook>> hooks;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    hooks = hooks_;
  }
  for (const auto& [id, hook] : hooks) {
    SY_ASSIGN_OR_RETURN(Tensor result, hook(*grad));
    if (!result.defined()) continue;
    SY_RETURN_IF_ERROR(
        CheckGradient("result of a gradient hook", result, *grad));
    *grad = std::move(result);
  }
  return absl::OkStatus();
}

absl::Status AutogradMeta::Add(Tensor grad, const GradArithmetic& arithmetic) {
  // The old gradient goes after the lock, as in set_grad.
  absl::StatusOr<Tensor> total = Tensor();
  std::lock_guard<std::mutex> lock(mutex_);
  if (grad_.defined()) {
    total = arithmetic.Add(grad_, grad);
  } else if (IsOwned(grad)) {
    total = std::move(grad);
  } else {
    total = arithmetic.Copy(grad);
  }
  SY_RETURN_IF_ERROR(total.status());
  std::swap(grad_, *total);
  return absl::OkStatus();
}

absl::Status AutogradMeta::Accumulate(Tensor grad,
                                      const GradArithmetic& arithmetic) {
  SY_RETURN_IF_ERROR(Add(std::move(grad), arithmetic));
  std::vector<std::pair<uint64_t, PostAccumulateHook>> hooks;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (post_hooks_.empty()) return absl::OkStatus();
    hooks = post_hooks_;
  }
  for (const auto& [id, hook] : hooks) {
    Tensor current = this->grad();
    SY_RETURN_IF_ERROR(hook(&current));
    set_grad(std::move(current));
  }
  return absl::OkStatus();
}

absl::Status CheckGradient(std::string_view argument, const Tensor& grad,
                           const Tensor& like) {
  if (grad.dtype() != like.dtype()) {
    return TypeError(argument, Name(like.dtype()), Name(grad.dtype()));
  }
  if (grad.shape() != like.shape()) {
    return ArgumentError(argument, "of shape " + ToString(like.shape()),
                         ToString(grad.shape()));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::eager
