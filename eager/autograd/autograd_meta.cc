// SPDX-License-Identifier: Apache-2.0
#include "eager/autograd/autograd_meta.h"

#include <algorithm>

namespace switchyard::eager {
namespace {

template <typename Hook>
void Erase(std::vector<std::pair<uint64_t, Hook>>* hooks, uint64_t id) {
  hooks->erase(std::remove_if(hooks->begin(), hooks->end(),
                              [id](const auto& h) { return h.first == id; }),
               hooks->end());
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
  std::lock_guard<std::mutex> lock(mutex_);
  Erase(&hooks_, id);
  Erase(&post_hooks_, id);
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

absl::Status AutogradMeta::Add(Tensor grad, GradSum& sum) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (grad_.defined()) {
    SY_ASSIGN_OR_RETURN(grad, sum.Add(grad_, grad));
  } else {
    SY_ASSIGN_OR_RETURN(grad, sum.Own(std::move(grad)));
  }
  grad_ = std::move(grad);
  return absl::OkStatus();
}

absl::Status AutogradMeta::Accumulate(Tensor grad, GradSum& sum) {
  SY_RETURN_IF_ERROR(Add(std::move(grad), sum));
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
