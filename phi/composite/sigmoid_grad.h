// SPDX-License-Identifier: Apache-2.0
// The gradient of sigmoid from its result: s' = s (1 - s). Differentiable
// again.
#ifndef SWITCHYARD_PHI_COMPOSITE_SIGMOID_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_SIGMOID_GRAD_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void SigmoidGrad(Ops& ops, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V one_minus = ops.scale(out, Scalar(-1.0), Scalar(1.0), true);
  *x_grad = ops.multiply(out_grad, ops.multiply(out, one_minus));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SIGMOID_GRAD_H_
