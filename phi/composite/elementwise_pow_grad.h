// SPDX-License-Identifier: Apache-2.0
// The gradient of out = x^y with broadcasting: g y x^(y - 1), and g log(x) out.
// At x = 0 the first is 0 where y = 0, and the second where y >= 0, though a
// factor is infinite. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_ELEMENTWISE_POW_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_ELEMENTWISE_POW_GRAD_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void ElementwisePowGrad(Ops& ops, const V& x, const V& y, const V& out,
                        const V& out_grad, V* x_grad, V* y_grad) {
  const DataType same = DataType::kUndefined;
  const V zero = ops.full_like(y, Scalar(0.0), same);
  const V one = ops.full_like(y, Scalar(1.0), same);
  const V origin = ops.equal(x, ops.full_like(x, Scalar(0.0), same));
  // The infinite factor is computed of 1 instead of x: times 0, here or in the
  // gradient of this, it would be NaN.
  const auto base = [&](const V& condition) {
    return ops.where(ops.logical_and(origin, condition), one, x);
  };
  if (x_grad != nullptr) {
    const V power =
        ops.elementwise_pow(base(ops.equal(y, zero)), ops.subtract(y, one));
    const V slope = ops.multiply(y, power);
    *x_grad = ReduceTo(ops, ops.multiply(out_grad, slope), x);
  }
  if (y_grad != nullptr) {
    const V slope = ops.multiply(ops.log(base(ops.less_equal(zero, y))), out);
    *y_grad = ReduceTo(ops, ops.multiply(out_grad, slope), y);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ELEMENTWISE_POW_GRAD_H_
