// SPDX-License-Identifier: Apache-2.0
// The gradient of log1p: g / (1 + x). Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_LOG1P_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_LOG1P_GRAD_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void Log1pGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = ops.divide(out_grad, ops.scale(x, Scalar(1.0), Scalar(1.0), true));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LOG1P_GRAD_H_
