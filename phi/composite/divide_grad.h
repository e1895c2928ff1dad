// SPDX-License-Identifier: Apache-2.0
// The gradient of out = x / y with broadcasting: g / y, and -g (out / y).
// Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_DIVIDE_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_DIVIDE_GRAD_H_

#include "framework/types/scalar.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void DivideGrad(Ops& ops, const V& x, const V& y, const V& out,
                const V& out_grad, V* x_grad, V* y_grad) {
  if (x_grad != nullptr) {
    *x_grad = ReduceTo(ops, ops.divide(out_grad, y), x);
  }
  if (y_grad != nullptr) {
    // g / y may be infinite where out / y is 0.
    const V slope = ops.divide(out, y);
    const V sum = ReduceTo(ops, ops.multiply(out_grad, slope), y);
    *y_grad = ops.scale(sum, Scalar(-1.0), Scalar(0.0), true);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_DIVIDE_GRAD_H_
