// SPDX-License-Identifier: Apache-2.0
// The gradient of softshrink and of hardshrink: g where |x| is above the
// threshold, else 0. Differentiable again in out_grad.
#ifndef SWITCHYARD_PHI_COMPOSITE_SHRINK_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_SHRINK_GRAD_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void ShrinkGrad(Ops& ops, const V& x, const V& out_grad, double threshold,
                V* x_grad) {
  if (x_grad == nullptr) return;
  const DataType same = DataType::kUndefined;
  const V limit = ops.full_like(x, Scalar(threshold), same);
  *x_grad = ops.where(ops.greater_than(ops.abs(x), limit), out_grad,
                      ops.full_like(out_grad, Scalar(0.0), same));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SHRINK_GRAD_H_
