// SPDX-License-Identifier: Apache-2.0
// The gradient of the square root from its result: g / (2 out). Differentiable
// again.
#ifndef SWITCHYARD_PHI_COMPOSITE_SQRT_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_SQRT_GRAD_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void SqrtGrad(Ops& ops, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V half = ops.scale(out_grad, Scalar(0.5), Scalar(0.0), true);
  *x_grad = ops.divide(half, out);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SQRT_GRAD_H_
