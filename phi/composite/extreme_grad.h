// SPDX-License-Identifier: Apache-2.0
// Gradient of max and min: each element that equals the result gets its
// gradient whole, as in Paddle. Differentiable again in out_grad: the choice is
// piecewise constant.
#ifndef SWITCHYARD_PHI_COMPOSITE_EXTREME_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_EXTREME_GRAD_H_

#include <cstdint>

#include "absl/types/span.h"
#include "phi/composite/reduced_shape.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void ExtremeGrad(Ops& ops, const V& x, const V& out, const V& out_grad,
                 absl::Span<const int64_t> axis, bool keepdim, V* x_grad) {
  if (x_grad == nullptr) return;
  const V extreme = KeepReducedAxes(ops, x, out, axis, keepdim);
  const V grad = KeepReducedAxes(ops, x, out_grad, axis, keepdim);
  const V chosen = ops.cast(ops.equal(x, extreme), ops.dtype(out_grad));
  *x_grad = ops.multiply(chosen, grad);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_EXTREME_GRAD_H_
