// SPDX-License-Identifier: Apache-2.0
// The gradient of silu: g s (1 + x (1 - s)) with s = sigmoid(x). Differentiable
// again.
#ifndef SWITCHYARD_PHI_COMPOSITE_SILU_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_SILU_GRAD_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void SiluGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V s = ops.sigmoid(x);
  const V one_minus = ops.scale(s, Scalar(-1.0), Scalar(1.0), true);
  const V rest =
      ops.scale(ops.multiply(x, one_minus), Scalar(1.0), Scalar(1.0), true);
  *x_grad = ops.multiply(out_grad, ops.multiply(s, rest));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SILU_GRAD_H_
