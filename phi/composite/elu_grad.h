// SPDX-License-Identifier: Apache-2.0
// The gradient of elu: g where x > 0, else g alpha exp(x). Differentiable
// again.
#ifndef SWITCHYARD_PHI_COMPOSITE_ELU_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_ELU_GRAD_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void EluGrad(Ops& ops, const V& x, const V& out_grad, double alpha, V* x_grad) {
  if (x_grad == nullptr) return;
  const V zero = ops.full_like(x, Scalar(0.0), DataType::kUndefined);
  // Where x is above 0, exp(x) may overflow, and the gradient of this gradient
  // would multiply it by 0.
  const V slope = ops.scale(ops.exp(ops.minimum(x, zero)), Scalar(alpha),
                            Scalar(0.0), true);
  *x_grad = ops.where(ops.greater_than(x, zero), out_grad,
                      ops.multiply(out_grad, slope));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ELU_GRAD_H_
