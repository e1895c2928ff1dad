// SPDX-License-Identifier: Apache-2.0
// The gradient of leaky_relu: g where x > 0, else g times the slope.
// Differentiable again in out_grad.
#ifndef SWITCHYARD_PHI_COMPOSITE_LEAKY_RELU_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_LEAKY_RELU_GRAD_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void LeakyReluGrad(Ops& ops, const V& x, const V& out_grad,
                   double negative_slope, V* x_grad) {
  if (x_grad == nullptr) return;
  const V zero = ops.full_like(x, Scalar(0.0), DataType::kUndefined);
  const V small =
      ops.scale(out_grad, Scalar(negative_slope), Scalar(0.0), true);
  *x_grad = ops.where(ops.greater_than(x, zero), out_grad, small);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LEAKY_RELU_GRAD_H_
