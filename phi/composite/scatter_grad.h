// SPDX-License-Identifier: Apache-2.0
// Gradient of scatter: for x out_grad but for the rows that were replaced, for
// updates the rows where they went (also those that another overwrote, as in
// Paddle). Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_SCATTER_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_SCATTER_GRAD_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void ScatterGrad(Ops& ops, const V& index, const V& updates, const V& out_grad,
                 V* x_grad, V* updates_grad) {
  if (x_grad != nullptr) {
    const V zeros = ops.full_like(updates, Scalar(0.0), DataType::kUndefined);
    *x_grad = ops.scatter(out_grad, index, zeros, true);
  }
  if (updates_grad != nullptr) *updates_grad = ops.gather(out_grad, index, 0);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SCATTER_GRAD_H_
