// SPDX-License-Identifier: Apache-2.0
// The gradient of mish: g (t + x (1 - t^2) s) with t = tanh(softplus(x)) and
// the derivative s of softplus: sigmoid(x), 1 above the threshold.
// Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_MISH_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_MISH_GRAD_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void MishGrad(Ops& ops, const V& x, const V& out_grad, double threshold,
              V* x_grad) {
  if (x_grad == nullptr) return;
  const V limit = ops.full_like(x, Scalar(threshold), DataType::kUndefined);
  const V t = ops.tanh(ops.softplus(x, 1.0, threshold));
  const V rest = ops.scale(ops.square(t), Scalar(-1.0), Scalar(1.0), true);
  const V chain = ops.multiply(x, rest);
  const V slope = ops.where(ops.greater_than(x, limit), chain,
                            ops.multiply(chain, ops.sigmoid(x)));
  *x_grad = ops.multiply(out_grad, ops.add(t, slope));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_MISH_GRAD_H_
