// SPDX-License-Identifier: Apache-2.0
// Gradient of pad: out_grad without the paddings. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_PAD_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_PAD_GRAD_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void PadGrad(Ops& ops, const V& x, const V& out_grad,
             absl::Span<const int64_t> paddings, V* x_grad) {
  if (x_grad == nullptr) return;
  const int rank = ops.shape(x).rank();
  std::vector<int64_t> axes, starts, ends;
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t behind = paddings[2 * axis + 1];
    axes.push_back(axis);
    starts.push_back(paddings[2 * axis]);
    ends.push_back(behind > 0 ? -behind : std::numeric_limits<int64_t>::max());
  }
  *x_grad = ops.slice(out_grad, axes, starts, ends);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_PAD_GRAD_H_
