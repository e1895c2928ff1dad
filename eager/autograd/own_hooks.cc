// SPDX-License-Identifier: Apache-2.0
#include "eager/autograd/own_hooks.h"

#include "eager/autograd/autograd_meta.h"
#include "eager/autograd/grad_node.h"

namespace switchyard::eager {

void VisitOwnHooks(const Tensor& tensor,
                   absl::FunctionRef<void(const GradHook& hook)> visit) {
  const TensorBody& body = *tensor.body();
  if (!body.meta() || !body.unique()) return;
  if (body.node() && !body.node()->unique()) return;
  body.meta()->VisitHooks(visit);
}

void ClearHooks(const Tensor& tensor) {
  if (tensor.body()->meta()) tensor.body()->meta()->ClearHooks();
}

}  // namespace switchyard::eager
