// SPDX-License-Identifier: Apache-2.0
// Gradient of topk and argsort: each gradient goes back to the position that
// its element came from. Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_ORDER_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_ORDER_GRAD_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void OrderGrad(Ops& ops, const V& x, const V& indices, const V& out_grad,
               int axis, V* x_grad) {
  if (x_grad == nullptr) return;
  const V zeros = ops.full_like(x, Scalar(0.0), DataType::kUndefined);
  *x_grad = ops.put_along_axis(zeros, indices, out_grad, axis, "assign");
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ORDER_GRAD_H_
