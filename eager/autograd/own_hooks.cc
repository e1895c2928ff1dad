// SPDX-License-Identifier: Apache-2.0
#include "eager/autograd/own_hooks.h"

#include "eager/tensor/autograd_meta.h"
#include "eager/tensor/grad_node.h"

namespace switchyard::eager {

void VisitHooks(const Tensor& tensor,
                absl::FunctionRef<void(const GradHook& hook)> visit) {
  if (tensor.impl()->meta()) tensor.impl()->meta()->VisitHooks(visit);
}

void VisitOwnHooks(const Tensor& tensor,
                   absl::FunctionRef<void(const GradHook& hook)> visit) {
  const TensorImpl& impl = *tensor.impl();
  if (!impl.meta() || !impl.unique()) return;
  if (impl.node() && !impl.node()->unique()) return;
  impl.meta()->VisitHooks(visit);
}

void ClearHooks(const Tensor& tensor) {
  if (tensor.impl()->meta()) tensor.impl()->meta()->ClearHooks();
}

}  // namespace switchyard::eager
