// SPDX-License-Identifier: Apache-2.0
// The gradients of special functions, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_SPECIAL_H_
#define SWITCHYARD_PHI_COMPOSITE_SPECIAL_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

// The gradient of the error function: g 2 / sqrt(pi) exp(-x^2). Differentiable
// again.
template <typename Ops, typename V = typename Ops::Value>
void ErfGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V square = ops.scale(ops.square(x), Scalar(-1.0), Scalar(0.0), true);
  const V slope = ops.scale(ops.exp(square), Scalar(1.1283791670955125739),
                            Scalar(0.0), true);
  *x_grad = ops.multiply(out_grad, slope);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SPECIAL_H_
