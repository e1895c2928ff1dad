// SPDX-License-Identifier: Apache-2.0
// The gradient of reshape: the old shape again. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_RESHAPE_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_RESHAPE_GRAD_H_

#include "phi/composite/extents.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void ReshapeGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = ReshapeLike(ops, out_grad, x, "x");
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_RESHAPE_GRAD_H_
