// SPDX-License-Identifier: Apache-2.0
// Gradient of stack: out_grad cut into slices. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_STACK_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_STACK_GRAD_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void StackGrad(Ops& ops, const typename Ops::List& x, const V& out_grad,
               int axis, typename Ops::OutputList x_grad) {
  if (!x_grad.any()) return;
  const std::vector<int64_t> sections(x.size(), 1);
  const int64_t axes[] = {axis};
  const std::vector<V> slices = ops.split(out_grad, sections, axis);
  for (size_t i = 0; i < x_grad.size(); ++i) {
    if (x_grad[i] != nullptr) *x_grad[i] = ops.squeeze(slices[i], axes);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_STACK_GRAD_H_
