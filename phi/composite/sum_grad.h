// SPDX-License-Identifier: Apache-2.0
// The gradient of sum over `axis` (empty: all): repeated along it.
// Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_SUM_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_SUM_GRAD_H_

#include <cstdint>

#include "absl/types/span.h"
#include "phi/composite/reduced_shape.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void SumGrad(Ops& ops, const V& x, const V& out_grad,
             absl::Span<const int64_t> axis, bool keepdim, V* x_grad) {
  if (x_grad == nullptr) return;
  V grad = KeepReducedAxes(ops, x, out_grad, axis, keepdim);
  if (ops.dtype(grad) != ops.dtype(x)) grad = ops.cast(grad, ops.dtype(x));
  *x_grad = ops.expand_as(grad, x);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SUM_GRAD_H_
