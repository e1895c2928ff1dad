// SPDX-License-Identifier: Apache-2.0
// The gradient of hardsigmoid from its result: g slope where 0 < out < 1, where
// sign(out) sign(1 - out) is 1. Differentiable again in out_grad.
#ifndef SWITCHYARD_PHI_COMPOSITE_HARDSIGMOID_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_HARDSIGMOID_GRAD_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void HardsigmoidGrad(Ops& ops, const V& out, const V& out_grad, double slope,
                     V* x_grad) {
  if (x_grad == nullptr) return;
  const V below = ops.scale(out, Scalar(-1.0), Scalar(1.0), true);
  const V inside = ops.multiply(ops.sign(out), ops.sign(below));
  const V steep = ops.scale(out_grad, Scalar(slope), Scalar(0.0), true);
  *x_grad = ops.multiply(steep, inside);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_HARDSIGMOID_GRAD_H_
