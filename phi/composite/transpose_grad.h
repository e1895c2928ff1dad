// SPDX-License-Identifier: Apache-2.0
// The gradient of transpose: the inverse permutation (of axes in [-rank,
// rank)). Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_TRANSPOSE_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_TRANSPOSE_GRAD_H_

#include <vector>

#include "absl/types/span.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void TransposeGrad(Ops& ops, const V& out_grad, absl::Span<const int> perm,
                   V* x_grad) {
  if (x_grad == nullptr) return;
  const int rank = static_cast<int>(perm.size());
  std::vector<int> inverse(perm.size());
  for (int axis = 0; axis < rank; ++axis) {
    inverse[perm[axis] < 0 ? perm[axis] + rank : perm[axis]] = axis;
  }
  *x_grad = ops.transpose(out_grad, inverse);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_TRANSPOSE_GRAD_H_
