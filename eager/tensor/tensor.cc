// SPDX-License-Identifier: Apache-2.0
#include "eager/tensor/tensor.h"

#include "eager/tensor/accumulate_grad.h"
#include "eager/tensor/autograd_meta.h"
#include "eager/tensor/view_group.h"
#include "framework/types/spec_text.h"

namespace switchyard::eager {
namespace {

constexpr char kNeedsGrad[] = "a tensor that requires grad";
constexpr char kHasNoGrad[] = "one that does not";

absl::Status StateError(const char* what, const char* expected,
                        const char* got) {
  return absl::FailedPreconditionError(std::string(what) + " must be " +
                                       expected + ", got " + got);
}

// The node has to know the meta before it takes a gradient.
AutogradMeta& MetaKnownToNode(TensorImpl& impl) {
  AutogradMeta& meta = impl.MutableMeta();
  if (impl.node()->meta(impl.output()) != &meta) {
    impl.node()->SetMeta(impl.output(), impl.meta());
  }
  return meta;
}

}  // namespace

HookHandle::HookHandle() = default;
HookHandle::HookHandle(RefPtr<AutogradMeta> meta, uint64_t id)
    : meta_(std::move(meta)), id_(id) {}
HookHandle::HookHandle(const HookHandle&) = default;
HookHandle& HookHandle::operator=(const HookHandle&) = default;
HookHandle::~HookHandle() = default;

void HookHandle::Remove() {
  if (meta_) meta_->Remove(id_);
  meta_ = nullptr;
}

Tensor::Tensor(DenseTensor dense)
    : impl_(RefPtr<TensorImpl>::Adopt(new TensorImpl(std::move(dense)))) {}

Tensor::Tensor(const SelectedRows& rows)
    : impl_(RefPtr<TensorImpl>::Adopt(new TensorImpl(CopyTensor(rows)))) {}

uint32_t Tensor::version() const {
  const RefPtr<Buffer>& buffer = base().buffer();
  return buffer ? buffer->version() : 0;
}

bool Tensor::is_leaf() const {
  return !impl_->node() || impl_->node()->is_leaf();
}

absl::Status Tensor::set_requires_grad(bool value) {
  if (value == requires_grad()) return absl::OkStatus();
  if (!is_leaf()) {
    return absl::FailedPreconditionError(
        "cannot clear requires_grad of a computed tensor; use detach()");
  }
  if (!value) {
    static_cast<AccumulateGrad*>(impl_->node().get())->Disable();
    impl_->SetNode(nullptr, 0);
    return absl::OkStatus();
  }
  if (!IsDifferentiable(dtype())) {
    return TypeError("requires_grad", "set on a floating or complex dtype",
                     Name(dtype()));
  }
  if (kind() != TensorKind::kDense && kind() != TensorKind::kSelectedRows) {
    return TypeError("requires_grad", "set on the dense tensors it is made of",
                     Name(kind()));
  }
  impl_->MutableMeta();
  impl_->SetNode(RefPtr<GradNode>::Adopt(new AccumulateGrad(impl_->meta())), 0);
  if (ViewGroup* group = impl_->view_group()) group->SetRequiresGrad();
  return absl::OkStatus();
}

Tensor Tensor::grad() const {
  return impl_->meta() ? impl_->meta()->grad() : Tensor();
}

absl::Status Tensor::set_grad(Tensor grad) {
  if (!grad.defined()) {
    if (impl_->meta()) impl_->meta()->set_grad(Tensor());
    return absl::OkStatus();
  }
  SY_RETURN_IF_ERROR(CheckGradient("grad", grad, *this));
  impl_->MutableMeta().set_grad(std::move(grad));
  return absl::OkStatus();
}

absl::Status Tensor::RetainGrad() {
  if (!requires_grad()) {
    return StateError("tensor of RetainGrad", kNeedsGrad, kHasNoGrad);
  }
  if (!is_leaf()) MetaKnownToNode(*impl_).set_retain_grad();
  return absl::OkStatus();
}

bool Tensor::retains_grad() const {
  return impl_->meta() && impl_->meta()->retain_grad();
}

Tensor Tensor::detach() const {
  if (kind() == TensorKind::kDense) return Tensor(dense());
  return Tensor(RefPtr<TensorImpl>::Adopt(new TensorImpl(CopyTensor(base()))));
}

absl::StatusOr<HookHandle> Tensor::RegisterHook(GradHook hook) {
  if (!requires_grad()) {
    return StateError("tensor of a gradient hook", kNeedsGrad, kHasNoGrad);
  }
  const uint64_t id = MetaKnownToNode(*impl_).AddHook(std::move(hook));
  return HookHandle(impl_->meta(), id);
}

absl::StatusOr<HookHandle> Tensor::RegisterPostAccumulateHook(
    PostAccumulateHook hook) {
  if (!requires_grad() || !is_leaf()) {
    return StateError("tensor of a post-accumulate hook",
                      "a leaf that requires grad", "another");
  }
  const uint64_t id =
      MetaKnownToNode(*impl_).AddPostAccumulateHook(std::move(hook));
  return HookHandle(impl_->meta(), id);
}

const GradNode* Tensor::grad_node() const { return impl_->node().get(); }

std::string ToString(const Tensor& tensor) {
  if (!tensor.defined()) return "undefined";
  if (tensor.kind() == TensorKind::kDense) return ToString(tensor.dense());
  return SpecText(tensor.kind(), tensor.dtype(), tensor.shape()) + " on " +
         ToString(tensor.place());
}

}  // namespace switchyard::eager
