// SPDX-License-Identifier: Apache-2.0
// Gradient of index_select: out_grad added to zeros where `index` points.
// Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_INDEX_SELECT_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_INDEX_SELECT_GRAD_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void IndexSelectGrad(Ops& ops, const V& x, const V& index, const V& out_grad,
                     int axis, V* x_grad) {
  if (x_grad == nullptr) return;
  const V zeros = ops.full_like(x, Scalar(0.0), DataType::kUndefined);
  *x_grad = ops.index_add(zeros, index, out_grad, axis);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_INDEX_SELECT_GRAD_H_
