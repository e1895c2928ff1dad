// SPDX-License-Identifier: Apache-2.0
// Gradient of mul with x and y as matrices X and Y: dX = g Y^T, dY = X^T g.
// Differentiable again.
#ifndef SWITCHYARD_PHI_COMPOSITE_MUL_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_MUL_GRAD_H_

#include <cstdint>

#include "framework/types/shape.h"
#include "phi/composite/extents.h"

namespace switchyard::phi::composite {

// The matrix that v stands for: the axes before `split` are rows. An invalid
// value if its number of columns is unknown.
template <typename Ops, typename V = typename Ops::Value>
V AsMatrix(Ops& ops, const V& v, int split) {
  const Shape shape = ops.shape(v);
  int64_t columns = 1;
  for (int axis = split; axis < shape.rank(); ++axis) {
    if (!shape[axis].known()) {
      ops.Fail(UnknownShapeError("columns"));
      return v;
    }
    columns *= shape.extent(axis);
  }
  int64_t rows = 1;
  for (int axis = 0; axis < split && axis < shape.rank(); ++axis) {
    rows = shape[axis].known() && rows >= 0 ? rows * shape.extent(axis) : -1;
  }
  return ReshapeTo(ops, v, {rows, columns});
}

template <typename Ops, typename V = typename Ops::Value>
void MulGrad(Ops& ops, const V& x, const V& y, const V& out_grad,
             int x_num_col_dims, int y_num_col_dims, V* x_grad, V* y_grad) {
  const V a = AsMatrix(ops, x, x_num_col_dims);
  const V b = AsMatrix(ops, y, y_num_col_dims);
  const V g = AsMatrix(ops, out_grad, x_num_col_dims);
  if (x_grad != nullptr) {
    *x_grad = ReshapeLike(ops, ops.matmul(g, b, false, true), x, "x");
  }
  if (y_grad != nullptr) {
    *y_grad = ReshapeLike(ops, ops.matmul(a, g, true, false), y, "y");
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_MUL_GRAD_H_
