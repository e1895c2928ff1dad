// SPDX-License-Identifier: Apache-2.0
// Gradient of gather: out_grad added to zeros where `index` points.
// Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_GATHER_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_GATHER_GRAD_H_

#include <cstdint>
#include <vector>

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi::composite {

template <typename Ops, typename V = typename Ops::Value>
void GatherGrad(Ops& ops, const V& x, const V& index, const V& out_grad,
                int axis, V* x_grad) {
  if (x_grad == nullptr) return;
  const V zeros = ops.full_like(x, Scalar(0.0), DataType::kUndefined);
  if (ops.shape(index).rank() == 1) {
    *x_grad = ops.index_add(zeros, index, out_grad, axis);
    return;
  }
  const V list = ops.reshape(index, std::vector<int64_t>{-1});
  if (ops.shape(index).rank() == 2) {
    *x_grad = ops.index_add(zeros, list, out_grad, axis);
    return;
  }
  const int64_t axes[] = {axis < 0 ? axis + ops.shape(x).rank() : axis};
  *x_grad = ops.index_add(zeros, list, ops.unsqueeze(out_grad, axes), axis);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_GATHER_GRAD_H_
