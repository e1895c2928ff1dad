// SPDX-License-Identifier: Apache-2.0
// The gradient of 1 / sqrt(x) from its result: -g out^3 / 2. Differentiable
// again.
#ifndef SWITCHYARD_PHI_COMPOSITE_RSQRT_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_RSQRT_GRAD_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void RsqrtGrad(Ops& ops, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V cube = ops.multiply(ops.square(out), out);
  const V half = ops.scale(cube, Scalar(-0.5), Scalar(0.0), true);
  *x_grad = ops.multiply(out_grad, half);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_RSQRT_GRAD_H_
