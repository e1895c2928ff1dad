// SPDX-License-Identifier: Apache-2.0
// The gradient of softsign: g / (1 + |x|)^2. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_SOFTSIGN_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_SOFTSIGN_GRAD_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void SoftsignGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V sum = ops.scale(ops.abs(x), Scalar(1.0), Scalar(1.0), true);
  *x_grad = ops.divide(out_grad, ops.square(sum));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SOFTSIGN_GRAD_H_
