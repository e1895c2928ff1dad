// SPDX-License-Identifier: Apache-2.0
#include "eager/tensor_body.h"

#include <utility>

#include "eager/autograd/autograd_meta.h"
#include "eager/autograd/grad_node.h"
#include "eager/autograd/view_family.h"

namespace switchyard::eager {

TensorBody::TensorBody() = default;

TensorBody::TensorBody(DenseTensor&& dense) : dense_(std::move(dense)) {}

TensorBody::TensorBody(OwnedTensor other) : other_(std::move(other)) {}

TensorBody::~TensorBody() {
  if (ViewFamily* family = family_.load()) family->Unref();
}

void TensorBody::SetNode(RefPtr<GradNode> node, uint32_t output) {
  node_ = std::move(node);
  output_ = output;
}

AutogradMeta& TensorBody::MutableMeta() {
  if (!meta_) meta_ = RefPtr<AutogradMeta>::Adopt(new AutogradMeta);
  return *meta_;
}

void TensorBody::SetMeta(RefPtr<AutogradMeta> meta) { meta_ = std::move(meta); }

RefPtr<ViewFamily> TensorBody::FoundFamily() {
  ViewFamily* family = family_.load(std::memory_order_acquire);
  if (family == nullptr) {
    ViewFamily* founded = new ViewFamily;
    if (node_) founded->SetRequiresGrad();
    if (family_.compare_exchange_strong(family, founded,
                                        std::memory_order_acq_rel)) {
      family = founded;
    } else {
      founded->Unref();  // Another thread was first; `family` is its.
    }
  }
  return RefPtr<ViewFamily>::Share(family);
}

void TensorBody::JoinFamily(RefPtr<ViewFamily> family) {
  ViewFamily* before = family_.exchange(family.release());
  if (before != nullptr) before->Unref();
}

}  // namespace switchyard::eager
