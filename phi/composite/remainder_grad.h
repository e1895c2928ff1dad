// SPDX-License-Identifier: Apache-2.0
// The gradient of the remainder of x by y with broadcasting: g, and -g floor(x
// / y). Differentiable again in out_grad.
#ifndef SWITCHYARD_PHI_COMPOSITE_REMAINDER_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_REMAINDER_GRAD_H_

#include "framework/types/scalar.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void RemainderGrad(Ops& ops, const V& x, const V& y, const V& out_grad,
                   V* x_grad, V* y_grad) {
  if (x_grad != nullptr) *x_grad = ReduceTo(ops, out_grad, x);
  if (y_grad != nullptr) {
    const V product = ops.multiply(out_grad, ops.floor_divide(x, y));
    const V sum = ReduceTo(ops, product, y);
    *y_grad = ops.scale(sum, Scalar(-1.0), Scalar(0.0), true);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_REMAINDER_GRAD_H_
