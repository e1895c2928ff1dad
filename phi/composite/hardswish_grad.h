// SPDX-License-Identifier: Apache-2.0
// The gradient of hardswish: g (t + z m) / 6 with z = x limited to [-3, 3], t =
// relu6(z + 3) and m = 1 where 0 < t < 6, else 0. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_HARDSWISH_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_HARDSWISH_GRAD_H_

#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void HardswishGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  // Infinity times an m of 0 would be NaN.
  const V z = ops.clip(x, Scalar(-3.0), Scalar(3.0));
  const V t = ops.relu6(ops.scale(z, Scalar(1.0), Scalar(3.0), true));
  const V below = ops.scale(t, Scalar(-1.0), Scalar(6.0), true);
  const V inside = ops.multiply(ops.sign(t), ops.sign(below));
  const V slope = ops.scale(ops.add(t, ops.multiply(z, inside)),
                            Scalar(1.0 / 6), Scalar(0.0), true);
  *x_grad = ops.multiply(out_grad, slope);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_HARDSWISH_GRAD_H_
