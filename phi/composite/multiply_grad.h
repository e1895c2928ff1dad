// SPDX-License-Identifier: Apache-2.0
// The gradient of x * y with broadcasting. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_MULTIPLY_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_MULTIPLY_GRAD_H_

#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void MultiplyGrad(Ops& ops, const V& x, const V& y, const V& out_grad,
                  V* x_grad, V* y_grad) {
  if (x_grad != nullptr) {
    *x_grad = ReduceTo(ops, ops.multiply(out_grad, y), x);
  }
  if (y_grad != nullptr) {
    *y_grad = ReduceTo(ops, ops.multiply(out_grad, x), y);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_MULTIPLY_GRAD_H_
