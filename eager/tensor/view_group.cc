// SPDX-License-Identifier: Apache-2.0
#include "eager/tensor/view_group.h"

#include <utility>

#include "eager/tensor/tensor_impl.h"

namespace switchyard::eager {

ViewGroup::ViewGroup(TensorImpl* base)
    : members_{{base, true}}, base_(base), base_meta_(base->dense().meta()) {}

void ViewGroup::Join(TensorImpl* impl) {
  const auto lock = Lock();
  members_.push_back({impl, true});
}

void ViewGroup::SetRecorded(const TensorImpl* impl, bool recorded) {
  const auto lock = Lock();
  // The newest is the usual one.
  for (size_t i = members_.size(); i-- > 0;) {
    if (members_[i].impl != impl) continue;
    members_[i].recorded = recorded;
    return;
  }
}

bool ViewGroup::HasRecorded() const {
  for (const Member& member : members_) {
    if (member.recorded) return true;
  }
  return false;
}

void ViewGroup::Leave(TensorImpl* impl) {
  Edge dropped;  // Freed after the lock.
  const auto lock = Lock();
  for (size_t i = members_.size(); i-- > 0;) {
    if (members_[i].impl != impl) continue;
    members_[i] = members_.back();
    members_.pop_back();
    break;
  }
  if (impl == base_) {
    base_ = nullptr;
    if (HasRecorded()) lost_ = {impl->node(), impl->output()};
  } else if (base_ == nullptr && lost_.node && !HasRecorded()) {
    std::swap(dropped, lost_);
  }
}

Edge ViewGroup::base_edge() const {
  return base_ == nullptr ? lost_ : Edge{base_->node(), base_->output()};
}

Edge ViewGroup::Rebase(TensorImpl* impl) {
  base_ = impl;
  base_meta_ = impl->dense().meta();
  return std::exchange(lost_, Edge{});
}

}  // namespace switchyard::eager
