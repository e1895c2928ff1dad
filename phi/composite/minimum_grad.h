// SPDX-License-Identifier: Apache-2.0
// The gradient of the smaller of x and y with broadcasting: to x where x < y,
// to y elsewhere (so at equality to y, as in Paddle). Differentiable again in
// out_grad: the choice is piecewise constant.
#ifndef SWITCHYARD_PHI_COMPOSITE_MINIMUM_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_MINIMUM_GRAD_H_

#include "framework/types/scalar.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void MinimumGrad(Ops& ops, const V& x, const V& y, const V& out_grad, V* x_grad,
                 V* y_grad) {
  const V x_wins = ops.cast(ops.less_than(x, y), ops.dtype(out_grad));
  if (x_grad != nullptr) {
    *x_grad = ReduceTo(ops, ops.multiply(out_grad, x_wins), x);
  }
  if (y_grad != nullptr) {
    const V y_wins = ops.scale(x_wins, Scalar(-1.0), Scalar(1.0), true);
    *y_grad = ReduceTo(ops, ops.multiply(out_grad, y_wins), y);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_MINIMUM_GRAD_H_
