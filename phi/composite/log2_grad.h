// SPDX-License-Identifier: Apache-2.0
// The gradient of log2: g / (x ln 2). Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_LOG2_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_LOG2_GRAD_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void Log2Grad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  constexpr double kLn2 = 0.69314718055994530942;
  *x_grad = ops.divide(out_grad, ops.scale(x, Scalar(kLn2), Scalar(0.0), true));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LOG2_GRAD_H_
