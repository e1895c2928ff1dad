// SPDX-License-Identifier: Apache-2.0
// The gradient of relu6 from its result: g where 0 < out < 6. sign(out) sign(6
// - out) is 1 there and 0 at the ends. Differentiable again in out_grad.
#ifndef SWITCHYARD_PHI_COMPOSITE_RELU6_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_RELU6_GRAD_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void Relu6Grad(Ops& ops, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V below = ops.scale(out, Scalar(-1.0), Scalar(6.0), true);
  const V inside = ops.multiply(ops.sign(out), ops.sign(below));
  *x_grad = ops.multiply(out_grad, inside);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_RELU6_GRAD_H_
