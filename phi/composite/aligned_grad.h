// SPDX-License-Identifier: Apache-2.0
// The gradient of an elementwise operator under the `axis` rule
// (phi/composite/aligned.h). Not an operator's composite itself.
#ifndef SWITCHYARD_PHI_COMPOSITE_ALIGNED_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_ALIGNED_GRAD_H_

#include <cstdint>
#include <vector>

#include "phi/composite/aligned.h"

namespace switchyard::phi::composite {

// `grad`, of the aligned operand, without the axes behind those of `operand`.
template <typename Ops, typename V>
void ShapedAs(Ops& ops, const V& operand, int rank, int axis, V* grad) {
  if (grad == nullptr) return;
  const std::vector<int64_t> axes =
      AxesBehind(ops.shape(operand).rank(), rank, axis);
  if (!axes.empty()) *grad = ops.squeeze(*grad, axes);
}

// body(x, y, x_grad, y_grad) on the aligned operands.
template <typename Ops, typename V, typename Body>
void AlignedGrad(Ops& ops, const V& x, const V& y, int axis, V* x_grad,
                 V* y_grad, Body body) {
  const int x_rank = ops.shape(x).rank(), y_rank = ops.shape(y).rank();
  if (axis == -1) return body(x, y, x_grad, y_grad);
  if (x_rank < y_rank) {
    body(AlignedTo(ops, x, y_rank, axis), y, x_grad, y_grad);
    return ShapedAs(ops, x, y_rank, axis, x_grad);
  }
  body(x, AlignedTo(ops, y, x_rank, axis), x_grad, y_grad);
  ShapedAs(ops, y, x_rank, axis, y_grad);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ALIGNED_GRAD_H_
