// SPDX-License-Identifier: Apache-2.0
// The gradient of matmul, for all its forms: transposed operands, batches that
// broadcast, vectors. Differentiable again.
//
// With A = op(x), B = op(y) and g the gradient of A B: dA = g B^T, dB = A^T g,
// and the transposed of it where op transposes; batch axes that were broadcast
// are summed. A vector x counts as a row, a vector y as a column; their
// transpose flags say nothing.
#ifndef SWITCHYARD_PHI_COMPOSITE_MATMUL_GRAD_H_
#define SWITCHYARD_PHI_COMPOSITE_MATMUL_GRAD_H_

#include <cstdint>
#include <vector>

#include "phi/composite/extents.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

// The shape of v with an axis of extent 1 put in before axis `axis` (counted
// from the end if negative: -1 appends).
template <typename Ops, typename V = typename Ops::Value>
V WithAxis(Ops& ops, const V& v, int axis) {
  std::vector<int64_t> extents = Extents(ops.shape(v));
  if (!CanReshapeTo(extents)) {
    ops.Fail(UnknownShapeError("out_grad"));
    return v;
  }
  const int end = static_cast<int>(extents.size()) + 1;
  extents.insert(extents.begin() + (axis < 0 ? end + axis : axis), 1);
  return ReshapeTo(ops, v, extents);
}

// The extent of the shape's last axis; 0 if it is unknown.
inline int64_t LastExtent(const Shape& shape) {
  const Dim last = shape.dims()[shape.rank() - 1];
  return last.known() ? last.value() : 0;
}

// True if one matrix multiplies every row of a stack of matrices: its gradient
// is then one product over all rows, with no stack of gradients to be summed.
inline bool IsOneMatrix(const Shape& a, const Shape& b, const Shape& g) {
  return b.rank() == 2 && a.rank() > 2 && LastExtent(a) > 0 &&
         LastExtent(g) > 0;
}

// v with all axes but the last made one.
template <typename Ops, typename V = typename Ops::Value>
V AsRows(Ops& ops, const V& v) {
  return ops.reshape(v, std::vector<int64_t>{-1, LastExtent(ops.shape(v))});
}

template <typename Ops, typename V = typename Ops::Value>
void MatmulGrad(Ops& ops, const V& x, const V& y, const V& out_grad,
                bool transpose_x, bool transpose_y, V* x_grad, V* y_grad) {
  const bool x_vector = ops.shape(x).rank() == 1;
  const bool y_vector = ops.shape(y).rank() == 1;
  const V a = x_vector ? WithAxis(ops, x, 0) : x;
  const V b = y_vector ? WithAxis(ops, y, -1) : y;
  V g = x_vector ? WithAxis(ops, out_grad, y_vector ? -1 : -2) : out_grad;
  if (y_vector) g = WithAxis(ops, g, -1);
  const bool ta = transpose_x && !x_vector, tb = transpose_y && !y_vector;
  if (x_grad != nullptr) {
    const V grad =
        ta ? ops.matmul(b, g, tb, true) : ops.matmul(g, b, false, !tb);
    *x_grad = ReduceTo(ops, grad, x);
  }
  if (y_grad != nullptr) {
    const bool one =
        !ta && IsOneMatrix(ops.shape(a), ops.shape(b), ops.shape(g));
    const V rows = one ? AsRows(ops, a) : a;
    const V row_grads = one ? AsRows(ops, g) : g;
    const V grad = tb ? ops.matmul(row_grads, rows, true, ta)
                      : ops.matmul(rows, row_grads, !ta, false);
    *y_grad = ReduceTo(ops, grad, b);
    if (y_vector) *y_grad = ReshapeLike(ops, *y_grad, y, "y");
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_MATMUL_GRAD_H_
