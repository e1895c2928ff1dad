// SPDX-License-Identifier: Apache-2.0
// The gradient of stanh: g a b (1 - tanh(a x)^2) with the scales a and b.
// Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_STANH_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_STANH_GRAD_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void StanhGrad(Ops& ops, const V& x, const V& out_grad, double scale_a,
               double scale_b, V* x_grad) {
  if (x_grad == nullptr) return;
  const V t = ops.tanh(ops.scale(x, Scalar(scale_a), Scalar(0.0), true));
  const double product = scale_a * scale_b;
  const V slope =
      ops.scale(ops.square(t), Scalar(-product), Scalar(product), true);
  *x_grad = ops.multiply(out_grad, slope);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_STANH_GRAD_H_
