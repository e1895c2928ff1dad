// SPDX-License-Identifier: Apache-2.0
// The gradient of log10: g / (x ln 10). Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_LOG10_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_LOG10_GRAD_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void Log10Grad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  constexpr double kLn10 = 2.30258509299404568402;
  *x_grad =
      ops.divide(out_grad, ops.scale(x, Scalar(kLn10), Scalar(0.0), true));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LOG10_GRAD_H_
