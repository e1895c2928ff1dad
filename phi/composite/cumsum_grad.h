// SPDX-License-Identifier: Apache-2.0
// Gradient of cumsum: the running sum of out_grad from the other end.
// Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_CUMSUM_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_CUMSUM_GRAD_H_

#include "phi/composite/extents.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void CumsumGrad(Ops& ops, const V& x, const V& out_grad, int axis, bool flatten,
                bool exclusive, bool reverse, V* x_grad) {
  if (x_grad == nullptr) return;
  const V sums =
      ops.cumsum(out_grad, flatten ? 0 : axis, false, exclusive, !reverse);
  *x_grad = flatten ? ReshapeLike(ops, sums, x, "x") : sums;
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_CUMSUM_GRAD_H_
