// SPDX-License-Identifier: Apache-2.0
#include "eager/tensor/tensor_impl.h"

#include <utility>

#include "eager/tensor/autograd_meta.h"
#include "eager/tensor/grad_node.h"
#include "eager/tensor/view_group.h"

namespace switchyard::eager {

TensorImpl::TensorImpl() = default;

TensorImpl::TensorImpl(DenseTensor&& dense) : dense_(std::move(dense)) {}

TensorImpl::TensorImpl(OwnedTensor other) : other_(std::move(other)) {}

TensorImpl::~TensorImpl() {
  if (ViewGroup* group = view_group_.load()) {
    group->Leave(this);
    group->Unref();
  }
}

void TensorImpl::SetNode(RefPtr<GradNode> node, uint32_t output) {
  node_ = std::move(node);
  output_ = output;
}

AutogradMeta& TensorImpl::MutableMeta() {
  if (!meta_) meta_ = RefPtr<AutogradMeta>::Adopt(new AutogradMeta);
  return *meta_;
}

void TensorImpl::SetMeta(RefPtr<AutogradMeta> meta) { meta_ = std::move(meta); }

RefPtr<ViewGroup> TensorImpl::GetOrCreateViewGroup() {
  ViewGroup* group = view_group_.load(std::memory_order_acquire);
  if (group == nullptr) {
    ViewGroup* made = new ViewGroup(this);
    if (node_) made->SetRequiresGrad();
    if (view_group_.compare_exchange_strong(group, made,
                                            std::memory_order_acq_rel)) {
      group = made;
    } else {
      made->Unref();  // Another thread was first; `group` is its.
    }
  }
  return RefPtr<ViewGroup>::Share(group);
}

void TensorImpl::JoinViewGroup(RefPtr<ViewGroup> group) {
  ViewGroup* before = view_group_.load();
  if (before == group.get()) return;
  group->Join(this);
  view_group_.store(group.release());
  if (before == nullptr) return;
  before->Leave(this);
  before->Unref();
}

}  // namespace switchyard::eager
