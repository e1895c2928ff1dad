// SPDX-License-Identifier: Apache-2.0
// The hooks of a tensor, for bindings to other languages: all of them, and as a
// collector of cycles sees them, since a hook may own what refers to its
// tensor.
#ifndef SWITCHYARD_EAGER_AUTOGRAD_OWN_HOOKS_H_
#define SWITCHYARD_EAGER_AUTOGRAD_OWN_HOOKS_H_

#include "absl/functional/function_ref.h"
#include "eager/tensor/tensor.h"

namespace switchyard::eager {

// Calls `visit` for each gradient hook of the tensor, in the order in which
// they run; for none if another thread holds their lock.
void VisitHooks(const Tensor& tensor,
                absl::FunctionRef<void(const GradHook& hook)> visit);

// Calls `visit` for each gradient hook of the tensor that nothing can run once
// this handle is gone, since no other handle, no later node and no backward
// run refers to the tensor or its node. Calls nothing if another thread holds
// their lock.
void VisitOwnHooks(const Tensor& tensor,
                   absl::FunctionRef<void(const GradHook& hook)> visit);

// Removes all hooks of the tensor.
void ClearHooks(const Tensor& tensor);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_AUTOGRAD_OWN_HOOKS_H_
