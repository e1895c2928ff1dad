// SPDX-License-Identifier: Apache-2.0
// The gradient of 1 / x from its result: -g out^2. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_RECIPROCAL_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_RECIPROCAL_GRAD_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void ReciprocalGrad(Ops& ops, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V slope = ops.scale(ops.square(out), Scalar(-1.0), Scalar(0.0), true);
  *x_grad = ops.multiply(out_grad, slope);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_RECIPROCAL_GRAD_H_
