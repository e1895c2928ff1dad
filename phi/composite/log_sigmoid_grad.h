// SPDX-License-Identifier: Apache-2.0
// The gradient of logsigmoid: g sigmoid(-x). Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_LOG_SIGMOID_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_LOG_SIGMOID_GRAD_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void LogSigmoidGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V negative = ops.scale(x, Scalar(-1.0), Scalar(0.0), true);
  *x_grad = ops.multiply(out_grad, ops.sigmoid(negative));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LOG_SIGMOID_GRAD_H_
