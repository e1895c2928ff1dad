// SPDX-License-Identifier: Apache-2.0
// The gradient of tanh from its result: t' = 1 - t^2. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_TANH_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_TANH_GRAD_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void TanhGrad(Ops& ops, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V slope = ops.scale(ops.square(out), Scalar(-1.0), Scalar(1.0), true);
  *x_grad = ops.multiply(out_grad, slope);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_TANH_GRAD_H_
