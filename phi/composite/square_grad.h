// SPDX-License-Identifier: Apache-2.0
// The gradient of x * x: 2 g x. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_SQUARE_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_SQUARE_GRAD_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void SquareGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V twice = ops.scale(out_grad, Scalar(2.0), Scalar(0.0), true);
  *x_grad = ops.multiply(twice, x);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SQUARE_GRAD_H_
