// SPDX-License-Identifier: Apache-2.0
// The gradient of out = x^y with broadcasting: g y x^(y - 1), and g log(x) out.
// Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_ELEMENTWISE_POW_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_ELEMENTWISE_POW_GRAD_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void ElementwisePowGrad(Ops& ops, const V& x, const V& y, const V& out,
                        const V& out_grad, V* x_grad, V* y_grad) {
  if (x_grad != nullptr) {
    const V one = ops.full_like(y, Scalar(1.0), DataType::kUndefined);
    const V power = ops.elementwise_pow(x, ops.subtract(y, one));
    const V slope = ops.multiply(y, power);
    *x_grad = ReduceTo(ops, ops.multiply(out_grad, slope), x);
  }
  if (y_grad != nullptr) {
    const V slope = ops.multiply(ops.log(x), out);
    *y_grad = ReduceTo(ops, ops.multiply(out_grad, slope), y);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ELEMENTWISE_POW_GRAD_H_
