// SPDX-License-Identifier: Apache-2.0
// The gradient of selu: g scale where out > 0, else g (out + scale alpha).
// Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_SELU_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_SELU_GRAD_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void SeluGrad(Ops& ops, const V& out, const V& out_grad, double scale,
              double alpha, V* x_grad) {
  if (x_grad == nullptr) return;
  const V zero = ops.full_like(out, Scalar(0.0), DataType::kUndefined);
  const V slope = ops.scale(out, Scalar(1.0), Scalar(scale * alpha), true);
  *x_grad = ops.where(ops.greater_than(out, zero),
                      ops.scale(out_grad, Scalar(scale), Scalar(0.0), true),
                      ops.multiply(out_grad, slope));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SELU_GRAD_H_
