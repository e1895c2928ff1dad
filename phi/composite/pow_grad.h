// SPDX-License-Identifier: Apache-2.0
// The gradient of x^y for a number y: g y x^(y - 1); zero for y = 0, whatever
// x. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_POW_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_POW_GRAD_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void PowGrad(Ops& ops, const V& x, const V& out_grad, const Scalar& y,
             V* x_grad) {
  if (x_grad == nullptr) return;
  const double power = y.to<double>();
  if (power == 0) {
    *x_grad = ops.full_like(x, Scalar(0.0), DataType::kUndefined);
    return;
  }
  const V slope =
      ops.scale(ops.pow(x, Scalar(power - 1)), y, Scalar(0.0), true);
  *x_grad = ops.multiply(out_grad, slope);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_POW_GRAD_H_
