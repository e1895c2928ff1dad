// SPDX-License-Identifier: Apache-2.0
// Linear algebra, and gradients of it, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_LINALG_H_
#define SWITCHYARD_PHI_COMPOSITE_LINALG_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/base/status.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/calls/of_linalg.h"
#include "phi/composite/conjugate.h"
#include "phi/composite/elements.h"
#include "phi/composite/extents.h"
#include "phi/composite/ops.h"
#include "phi/composite/reduce_to.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// The shape of v with an axis of extent 1 put in before axis `axis` (counted
// from the end if negative: -1 appends).
inline Value WithAxis(Ops& ops, const Value& v, int axis) {
  std::vector<int64_t> extents = Extents(ops.shape(v));
  if (!CanReshapeTo(extents)) return op::unsqueeze(ops, v, {int64_t{axis}});
  const int end = static_cast<int>(extents.size()) + 1;
  extents.insert(extents.begin() + (axis < 0 ? end + axis : axis), 1);
  return ReshapeTo(ops, v, extents);
}

// The extent of the shape's last axis; 0 if it is unknown.
inline int64_t LastExtent(const Shape& shape) {
  const Dim last = shape.dims()[shape.rank() - 1];
  return last.known() ? last.value() : 0;
}

// Returns true if one matrix multiplies every row of a stack of matrices: its
// gradient is then one product over all rows, with no stack of gradients to be
// summed.
inline bool IsOneMatrix(const Shape& a, const Shape& b, const Shape& g) {
  return b.rank() == 2 && a.rank() > 2 && LastExtent(a) > 0 &&
         LastExtent(g) > 0;
}

// v with all axes but the last made one.
inline Value AsRows(Ops& ops, const Value& v) {
  return op::reshape(ops, v,
                     std::vector<int64_t>{-1, LastExtent(ops.shape(v))});
}

// The gradient of matmul, for all its forms: transposed operands, batches that
// broadcast, vectors. Differentiable again.
//
// With A = op(x), B = op(y) and g the gradient of A B: dA = g B^T, dB = A^T g,
// and the transposed of it where op transposes; batch axes that were broadcast
// are summed. A vector x counts as a row, a vector y as a column; their
// transpose flags say nothing. Complex factors are conjugated.
inline void MatmulGrad(Ops& ops, const Value& x, const Value& y,
                       const Value& out_grad, bool transpose_x,
                       bool transpose_y, Value* x_grad, Value* y_grad) {
  const bool x_vector = ops.shape(x).rank() == 1;
  const bool y_vector = ops.shape(y).rank() == 1;
  const Value a = x_vector ? WithAxis(ops, x, 0) : x;
  const Value b = y_vector ? WithAxis(ops, y, -1) : y;
  Value g = x_vector ? WithAxis(ops, out_grad, y_vector ? -1 : -2) : out_grad;
  if (y_vector) g = WithAxis(ops, g, -1);
  const bool ta = transpose_x && !x_vector, tb = transpose_y && !y_vector;
  if (x_grad != nullptr) {
    const Value factor = Conjugated(ops, b);
    const Value grad = ta ? op::matmul(ops, factor, g, tb, true)
                          : op::matmul(ops, g, factor, false, !tb);
    *x_grad = ReduceTo(ops, grad, x);
  }
  if (y_grad != nullptr) {
    const bool one =
        !ta && IsOneMatrix(ops.shape(a), ops.shape(b), ops.shape(g));
    const Value factor = Conjugated(ops, a);
    const Value rows = one ? AsRows(ops, factor) : factor;
    const Value row_grads = one ? AsRows(ops, g) : g;
    const Value grad = tb ? op::matmul(ops, row_grads, rows, true, ta)
                          : op::matmul(ops, rows, row_grads, !ta, false);
    *y_grad = ReduceTo(ops, grad, b);
    if (y_vector) *y_grad = ReshapeLike(ops, *y_grad, y, "y");
  }
}

// x weight + bias.
inline void LinearLayer(Ops& ops, const Value& x, const Value& weight,
                        const Value& bias, Value* out) {
  if (out == nullptr) return;
  if (!ops.defined(bias)) {
    *out = op::matmul(ops, x, weight, false, false);
    return;
  }
  const Value product =
      op::matmul(ops, Widened(ops, x), Widened(ops, weight), false, false);
  *out = Narrowed(ops, op::add(ops, product, Widened(ops, bias)), ops.dtype(x));
}

// The gradient of linear: that of matmul, and what add gives to the bias.
// Differentiable again.
inline void LinearLayerGrad(Ops& ops, const Value& x, const Value& weight,
                            const Value& bias, const Value& out_grad,
                            Value* x_grad, Value* weight_grad,
                            Value* bias_grad) {
  MatmulGrad(ops, x, weight, out_grad, false, false, x_grad, weight_grad);
  if (bias_grad != nullptr && ops.defined(bias)) {
    *bias_grad = ReduceTo(ops, out_grad, bias);
  }
}

// The matrix that v stands for: the axes before `split` are rows. An invalid
// value if its number of columns is unknown.
inline Value AsMatrix(Ops& ops, const Value& v, int split) {
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

// The gradient of mul with x and y as matrices X and Y: dX = g Y^T, dY = X^T g.
// Differentiable again.
inline void MulGrad(Ops& ops, const Value& x, const Value& y,
                    const Value& out_grad, int x_num_col_dims,
                    int y_num_col_dims, Value* x_grad, Value* y_grad) {
  const Value a = AsMatrix(ops, x, x_num_col_dims);
  const Value b = AsMatrix(ops, y, y_num_col_dims);
  const Value g = AsMatrix(ops, out_grad, x_num_col_dims);
  if (x_grad != nullptr) {
    *x_grad = ReshapeLike(ops, op::matmul(ops, g, b, false, true), x, "x");
  }
  if (y_grad != nullptr) {
    *y_grad = ReshapeLike(ops, op::matmul(ops, a, g, true, false), y, "y");
  }
}

// Gradient of bmm: g y^T and x^T g. Differentiable again.
inline void BmmGrad(Ops& ops, const Value& x, const Value& y,
                    const Value& out_grad, Value* x_grad, Value* y_grad) {
  if (x_grad != nullptr) *x_grad = op::matmul(ops, out_grad, y, false, true);
  if (y_grad != nullptr) *y_grad = op::matmul(ops, x, out_grad, true, false);
}

// Gradient of trace: out_grad on the diagonal that was summed, 0 elsewhere.
// Differentiable again.
inline void TraceGrad(Ops& ops, const Value& x, const Value& out_grad,
                      int offset, int axis1, int axis2, Value* x_grad) {
  if (x_grad == nullptr) return;
  const int rank = ops.shape(x).rank();
  const int rows = axis1 < 0 ? axis1 + rank : axis1;
  const int columns = axis2 < 0 ? axis2 + rank : axis2;
  std::vector<int> perm;  // The matrices last.
  for (int axis = 0; axis < rank; ++axis) {
    if (axis != rows && axis != columns) perm.push_back(axis);
  }
  perm.push_back(rows);
  perm.push_back(columns);
  std::vector<int> inverse(perm.size());
  for (int i = 0; i < rank; ++i) inverse[perm[i]] = i;
  const Value ones = op::transpose(ops, FullLike(ops, x, 1), perm);
  const Value diagonal = op::triu(ops, op::tril(ops, ones, offset), offset);
  const int64_t last_axes[] = {rank - 2, rank - 1};
  const Value grad = op::unsqueeze(ops, out_grad, last_axes);
  *x_grad = op::transpose(ops, op::multiply(ops, diagonal, grad), inverse);
}

// The sum of x y along the last axis. Gradients are those of multiply and sum.
inline void Dot(Ops& ops, const Value& x, const Value& y, Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x), other = ops.shape(y);
  if (shape.rank() == 0) {
    return ops.Fail(ArgumentError("x", "of one axis or more", ToString(shape)));
  }
  bool same = shape.rank() == other.rank();
  for (int i = 0; same && i < shape.rank(); ++i) {
    same = MayEqual(shape[i], other[i]);
  }
  if (!same) {
    return ops.Fail(ArgumentError("y", "of shape " + ToString(shape) + " as x",
                                  ToString(other)));
  }
  const int64_t last[] = {-1};
  const Value wide = Widened(ops, x), others = Widened(ops, y);
  Value product = op::multiply(ops, wide, others);
  if (!shape.known() || !other.known()) {
    // A run compares open extents: one that is 1 is not to be repeated.
    const bool whole = IsInteger(ops.dtype(product));
    for (const Value& factor : {wide, others}) {
      if (whole) {
        product = op::expand_as(ops, product, factor);
        continue;
      }
      const Value like = Narrowed(ops, factor, ops.dtype(product));
      product = op::reshape_grad(ops, like, product);
    }
  }
  const Value total = op::sum(ops, product, last, DataType::kUndefined, false);
  // Complex numbers of y are no numbers of a real x's dtype.
  const bool as_x = IsComplex(ops.dtype(x)) || !IsComplex(ops.dtype(y));
  *out = as_x ? Narrowed(ops, total, ops.dtype(x)) : total;
}

// The product of a matrix and a list. Gradients are those of matmul.
inline void Mv(Ops& ops, const Value& x, const Value& vec, Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x), list = ops.shape(vec);
  if (shape.rank() != 2) {
    return ops.Fail(ArgumentError("x", "of rank 2", ToString(shape)));
  }
  if (list.rank() != 1 || !MayEqual(list[0], shape[1])) {
    return ops.Fail(ArgumentError(
        "vec", "of shape [" + ToString(shape[1]) + "]", ToString(list)));
  }
  *out = op::matmul(ops, x, vec, false, false);
}

// beta * input + alpha * x y. Gradients are those of what it is written as.
inline void Addmm(Ops& ops, const Value& input, const Value& x, const Value& y,
                  double beta, double alpha, Value* out) {
  if (out == nullptr) return;
  if (ops.shape(x).rank() != 2) {
    return ops.Fail(ArgumentError("x", "of rank 2", ToString(ops.shape(x))));
  }
  if (ops.shape(y).rank() != 2) {
    return ops.Fail(ArgumentError("y", "of rank 2", ToString(ops.shape(y))));
  }
  const Value product = Times(
      ops, op::matmul(ops, Widened(ops, x), Widened(ops, y), false, false),
      alpha);
  const Shape shape = ops.shape(product);
  const auto both = BroadcastShapes("input", ops.shape(input), shape);
  if (!both.ok() || both->rank() != 2 || !MayEqual((*both)[0], shape[0]) ||
      !MayEqual((*both)[1], shape[1])) {
    return ops.Fail(ArgumentError("input",
                                  "broadcastable to " + ToString(shape),
                                  ToString(ops.shape(input))));
  }
  const Value sum =
      op::add(ops, Times(ops, Widened(ops, input), beta), product);
  const DataType dtype = ops.dtype(x);
  const bool same = ops.dtype(y) == dtype && ops.dtype(input) == dtype;
  *out = same ? Narrowed(ops, sum, dtype) : sum;
}

// x W y for each row of x and y and each matrix W. Gradients are those of what
// it is written as.
inline void Bilinear(Ops& ops, const Value& x, const Value& y,
                     const Value& weight, const Value& bias, Value* out) {
  if (out == nullptr) return;
  const Shape left = ops.shape(x), right = ops.shape(y);
  if (left.rank() != 2) {
    return ops.Fail(ArgumentError("x", "of rank 2", ToString(left)));
  }
  if (right.rank() != 2 || !MayEqual(right[0], left[0])) {
    return ops.Fail(
        ArgumentError("y", "of rank 2 and as many rows as x", ToString(right)));
  }
  const Shape whole = ops.shape(weight);
  if (whole.rank() != 3 || !MayEqual(whole[1], left[1]) ||
      !MayEqual(whole[2], right[1])) {
    return ops.Fail(ArgumentError(
        "weight",
        "of shape [?, " + ToString(left[1]) + ", " + ToString(right[1]) + "]",
        ToString(whole)));
  }
  // [k, b, n], then [k, b].
  const Value rows = op::matmul(ops, op::unsqueeze(ops, x, {int64_t{0}}),
                                weight, false, false);
  const Value sums = op::sum(ops, op::multiply(ops, rows, y), {int64_t{2}},
                             DataType::kUndefined, /*keepdim=*/false);
  *out = op::transpose(ops, sums, std::vector<int>{1, 0});
  if (!ops.defined(bias)) return;
  const Shape added = ops.shape(bias);
  if (!MayEqual(added, Shape({Dim(1), whole[0]}))) {
    return ops.Fail(ArgumentError(
        "bias", "of shape [1, " + ToString(whole[0]) + "]", ToString(added)));
  }
  *out = op::add(ops, *out, bias);
}

// Kronecker's product of open extents: the axes of x and y in turns, each pair
// made one.
inline void OpenKron(Ops& ops, const Value& x, const Value& y, Value* out) {
  const int a = ops.shape(x).rank(), b = ops.shape(y).rank();
  const int rank = std::max(a, b);
  if (2 * rank > kMaxRank) {
    return ops.Fail(ArgumentError(
        "x", "of " + std::to_string(kMaxRank / 2) + " axes at most",
        ToString(ops.shape(x)) + ", with y " + ToString(ops.shape(y))));
  }
  std::vector<int64_t> around_x, around_y;
  for (int i = 0; i < rank; ++i) {
    if (i < rank - a) around_x.push_back(2 * i);
    around_x.push_back(2 * i + 1);
    around_y.push_back(2 * i);
    if (i < rank - b) around_y.push_back(2 * i + 1);
  }
  Value blocks = op::multiply(ops, op::unsqueeze(ops, x, around_x),
                              op::unsqueeze(ops, y, around_y));
  for (int i = 0; i < rank; ++i) blocks = op::flatten(ops, blocks, i, i + 1);
  *out = blocks;
}

// Kronecker's product: each element of x repeated along every axis as often as
// y has elements there, times y repeated as a whole.
inline void Kron(Ops& ops, const Value& x, const Value& y, Value* out) {
  if (out == nullptr) return;
  const Shape a = ops.shape(x), b = ops.shape(y);
  if (!a.known() || !b.known()) return OpenKron(ops, x, y, out);
  const int rank = std::max(a.rank(), b.rank());
  Value blocks = x;
  if (a.rank() < rank) {
    std::vector<int64_t> front;
    for (int i = a.rank(); i < rank; ++i) front.push_back(i - a.rank());
    blocks = op::unsqueeze(ops, x, front);
  }
  for (int axis = rank - 1; axis >= rank - b.rank(); --axis) {
    const int64_t times = b.extent(axis - (rank - b.rank()));
    if (times == 1) continue;
    std::vector<int64_t> repeats(static_cast<size_t>(rank) + 1, 1);
    repeats[static_cast<size_t>(axis) + 1] = times;
    blocks = op::unsqueeze(ops, blocks, {int64_t{axis} + 1});
    blocks = op::flatten(ops, op::tile(ops, blocks, repeats), axis, axis + 1);
  }
  std::vector<int64_t> repeats;
  for (int i = 0; i < a.rank(); ++i) repeats.push_back(a.extent(i));
  *out = op::multiply(ops, blocks, op::tile(ops, y, repeats));
}

// The vector products along an axis of extent 3.
inline void Cross(Ops& ops, const Value& x, const Value& y, int axis,
                  Value* out) {
  if (out == nullptr) return;
  constexpr int kFirstOfThree = 9;
  const Shape shape = ops.shape(x);
  if (!MayEqual(shape, ops.shape(y))) {
    return ops.Fail(ArgumentError("y", "of shape " + ToString(shape),
                                  ToString(ops.shape(y))));
  }
  int at = 0;
  if (axis == kFirstOfThree) {
    while (at < shape.rank() && !(shape[at] == Dim(3))) ++at;
    if (at == shape.rank()) {
      return ops.Fail(
          ArgumentError("x", "with an axis of extent 3", ToString(shape)));
    }
  } else {
    const auto given = NormalizeAxis("axis", axis, shape.rank());
    if (!given.ok()) return ops.Fail(given.status());
    at = *given;
    if (!MayEqual(shape[at], Dim(3))) {
      return ops.Fail(
          ArgumentError("x", "of extent 3 along axis", ToString(shape)));
    }
  }
  const int64_t axes[] = {at}, one[] = {-1}, two[] = {-2};
  *out = op::subtract(ops,
                      op::multiply(ops, op::roll(ops, x, one, axes),
                                   op::roll(ops, y, two, axes)),
                      op::multiply(ops, op::roll(ops, x, two, axes),
                                   op::roll(ops, y, one, axes)));
}

// The p-norm of a difference; of halves in float32.
inline void Dist(Ops& ops, const Value& x, const Value& y, double p,
                 Value* out) {
  if (out == nullptr) return;
  const Value difference = op::subtract(ops, Widened(ops, x), Widened(ops, y));
  const Value norm =
      op::p_norm(ops, difference, p, /*axis=*/-1, /*epsilon=*/0.0,
                 /*keepdim=*/false, /*asvector=*/true);
  *out = Narrowed(ops, norm, ops.dtype(x));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LINALG_H_
