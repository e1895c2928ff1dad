// SPDX-License-Identifier: Apache-2.0
// The gradient of scale * x + bias, wherever the bias goes in: scale * g.
// Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_SCALE_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_SCALE_GRAD_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void ScaleGrad(Ops& ops, const V& out_grad, const Scalar& scale, V* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = ops.scale(out_grad, scale, Scalar(0.0), true);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SCALE_GRAD_H_
