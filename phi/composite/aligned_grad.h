// SPDX-License-Identifier: Apache-2.0
// The gradient of an elementwise operator under the `axis` rule
// (phi/composite/aligned.h). Not an operator's composite itself.
#ifndef SWITCHYARD_PHI_COMPOSITE_ALIGNED_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_ALIGNED_GRAD_H_

#include "phi/composite/aligned.h"

namespace switchyard::phi::composite {

// `grad`, of the shape of the aligned operand, in that of `operand`.
template <typename Ops, typename V>
void ShapedAs(Ops& ops, const V& operand, V* grad) {
  if (grad == nullptr) return;
  *grad = ops.reshape(*grad, Extents(ops.shape(operand)));
}

// body(x, y, x_grad, y_grad) on the aligned operands.
template <typename Ops, typename V, typename Body>
void AlignedGrad(Ops& ops, const char* op, const V& x, const V& y, int axis,
                 V* x_grad, V* y_grad, Body body) {
  const int x_rank = ops.shape(x).rank(), y_rank = ops.shape(y).rank();
  if (axis == -1) return body(x, y, x_grad, y_grad);
  if (x_rank < y_rank) {
    body(AlignedTo(ops, op, "x", x, y_rank, axis), y, x_grad, y_grad);
    return ShapedAs(ops, x, x_grad);
  }
  body(x, AlignedTo(ops, op, "y", y, x_rank, axis), x_grad, y_grad);
  ShapedAs(ops, y, y_grad);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_ALIGNED_GRAD_H_
