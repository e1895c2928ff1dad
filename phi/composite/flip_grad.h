// SPDX-License-Identifier: Apache-2.0
// Gradient of flip: flipped back. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_FLIP_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_FLIP_GRAD_H_

#include "absl/types/span.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void FlipGrad(Ops& ops, const V& out_grad, absl::Span<const int> axis,
              V* x_grad) {
  if (x_grad != nullptr) *x_grad = ops.flip(out_grad, axis);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_FLIP_GRAD_H_
