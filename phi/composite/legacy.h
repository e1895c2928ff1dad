// SPDX-License-Identifier: Apache-2.0
// Operators of old programs, and their gradients, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_LEGACY_H_
#define SWITCHYARD_PHI_COMPOSITE_LEGACY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attr_arg.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "framework/types/shape.h"
#include "phi/composite/arithmetic.h"
#include "phi/composite/elements.h"
#include "phi/composite/exponential.h"
#include "phi/composite/extents.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

// The axes of extent 1 that an operand of rank `own` gets after its own, so
// that these stand at `axis` of a tensor of `rank`.
inline std::vector<int64_t> AxesAfter(int own, int rank, int axis) {
  std::vector<int64_t> axes;
  for (int i = own; i < rank - axis; ++i) axes.push_back(i);
  return axes;
}

// Returns v with its axes at axis, axis + 1, ... of a tensor of `rank`.
// RangeError if they do not fit there. Not an operator's composite itself.
template <typename Ops, typename V = typename Ops::Value>
V AlignedTo(Ops& ops, const V& v, int rank, int axis) {
  const int own = ops.shape(v).rank();
  if (axis < 0 || axis > rank - own) {
    ops.Fail(RangeError("axis",
                        "-1 or in [0, " + std::to_string(rank - own) + "]",
                        std::to_string(axis)));
    return v;
  }
  const std::vector<int64_t> axes = AxesAfter(own, rank, axis);
  return axes.empty() ? v : ops.unsqueeze(v, axes);
}

// Returns body(x, y) under the `axis` rule of old elementwise operators: the
// axes of the operand of smaller rank are axis, axis + 1, ... of the other; -1
// aligns the last ones, as broadcasting does. Not an operator's composite
// itself.
template <typename Ops, typename V, typename Body>
V Aligned(Ops& ops, const V& x, const V& y, int axis, Body body) {
  const int x_rank = ops.shape(x).rank(), y_rank = ops.shape(y).rank();
  if (axis == -1) return body(x, y);
  if (x_rank < y_rank) return body(AlignedTo(ops, x, y_rank, axis), y);
  return body(x, AlignedTo(ops, y, x_rank, axis));
}

// Reduces `*grad`, a gradient of the aligned operand, to the axes of `operand`.
// Part of the gradient of an elementwise operator under the `axis` rule; not an
// operator's composite itself.
template <typename Ops, typename V>
void ShapedAs(Ops& ops, const V& operand, int rank, int axis, V* grad) {
  if (grad == nullptr) return;
  const std::vector<int64_t> axes =
      AxesAfter(ops.shape(operand).rank(), rank, axis);
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

// x - y, the smaller operand at `axis` of the other.
template <typename Ops, typename V = typename Ops::Value>
void ElementwiseSub(Ops& ops, const V& x, const V& y, int axis, V* out) {
  if (out == nullptr) return;
  *out = Aligned(ops, x, y, axis,
                 [&](const V& a, const V& b) { return ops.subtract(a, b); });
}

// The gradient of elementwise_sub: that of the operator without `axis`, in the
// operands' shapes.
template <typename Ops, typename V = typename Ops::Value>
void ElementwiseSubGrad(Ops& ops, const V& x, const V& y, const V& out_grad,
                        int axis, V* x_grad, V* y_grad) {
  AlignedGrad(ops, x, y, axis, x_grad, y_grad,
              [&](const V& a, const V& b, V* a_grad, V* b_grad) {
                SubtractGrad(ops, a, b, out_grad, a_grad, b_grad);
              });
}

// x * y, the smaller operand at `axis` of the other.
template <typename Ops, typename V = typename Ops::Value>
void ElementwiseMul(Ops& ops, const V& x, const V& y, int axis, V* out) {
  if (out == nullptr) return;
  *out = Aligned(ops, x, y, axis,
                 [&](const V& a, const V& b) { return ops.multiply(a, b); });
}

// The gradient of elementwise_mul: that of the operator without `axis`, in the
// operands' shapes.
template <typename Ops, typename V = typename Ops::Value>
void ElementwiseMulGrad(Ops& ops, const V& x, const V& y, const V& out_grad,
                        int axis, V* x_grad, V* y_grad) {
  AlignedGrad(ops, x, y, axis, x_grad, y_grad,
              [&](const V& a, const V& b, V* a_grad, V* b_grad) {
                MultiplyGrad(ops, a, b, out_grad, a_grad, b_grad);
              });
}

// The larger of x and y, the smaller operand at `axis` of the other.
template <typename Ops, typename V = typename Ops::Value>
void ElementwiseMax(Ops& ops, const V& x, const V& y, int axis, V* out) {
  if (out == nullptr) return;
  *out = Aligned(ops, x, y, axis,
                 [&](const V& a, const V& b) { return ops.maximum(a, b); });
}

// Gives g to a where it is ahead of b, to b elsewhere: at equality to b, as in
// Paddle. Part of the gradients of elementwise_max and elementwise_min; not an
// operator's composite itself.
template <typename Ops, typename V>
void AheadGrad(Ops& ops, const V& a, const V& b, const V& ahead,
               const V& out_grad, V* a_grad, V* b_grad) {
  const V share = ops.cast(ahead, ops.dtype(out_grad));
  if (a_grad != nullptr) {
    *a_grad = ReduceTo(ops, ops.multiply(out_grad, share), a);
  }
  if (b_grad != nullptr) {
    const V rest = Linear(ops, share, -1, 1);
    *b_grad = ReduceTo(ops, ops.multiply(out_grad, rest), b);
  }
}

// The gradient of elementwise_max, in the operands' shapes.
template <typename Ops, typename V = typename Ops::Value>
void ElementwiseMaxGrad(Ops& ops, const V& x, const V& y, const V& out_grad,
                        int axis, V* x_grad, V* y_grad) {
  AlignedGrad(ops, x, y, axis, x_grad, y_grad,
              [&](const V& a, const V& b, V* a_grad, V* b_grad) {
                AheadGrad(ops, a, b, ops.less_than(b, a), out_grad, a_grad,
                          b_grad);
              });
}

// The matrix product of old programs: alpha * x y.
template <typename Ops, typename V = typename Ops::Value>
void LegacyMatmul(Ops& ops, const V& x, const V& y, bool transpose_x,
                  bool transpose_y, float alpha, V* out) {
  if (out == nullptr) return;
  *out = ops.matmul(x, y, transpose_x, transpose_y);
  if (alpha != 1.0f) *out = Times(ops, *out, alpha);
}

// tril or triu, as `lower` says.
template <typename Ops, typename V = typename Ops::Value>
void TrilTriu(Ops& ops, const V& x, int diagonal, bool lower, V* out) {
  if (out == nullptr) return;
  *out = lower ? ops.tril(x, diagonal) : ops.triu(x, diagonal);
}

// one_hot of indices whose last axis, of extent 1, drops.
template <typename Ops, typename V = typename Ops::Value>
void LegacyOneHot(Ops& ops, const V& x, AttrArg<int> num_classes,
                  bool allow_out_of_range, V* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  const int last = shape.rank() - 1;
  if (last < 0 || !MayEqual(shape[last], Dim(1))) {
    return ops.Fail(
        ArgumentError("x", "of extent 1 along the last axis", ToString(shape)));
  }
  *out = ops.one_hot(ops.squeeze(x, {int64_t{last}}), num_classes,
                     allow_out_of_range);
}

// The quotient of integers without its fraction: floor(a / b), and one more
// where that is below zero and not exact.
template <typename Ops, typename V = typename Ops::Value>
V WholePart(Ops& ops, const V& a, const V& b) {
  const DataType dtype = ops.dtype(a);
  const V floor = ops.floor_divide(a, b);
  const V inexact = ops.not_equal(ops.multiply(floor, b), a);
  const V zero = ops.full_like(floor, Scalar(int64_t{0}), dtype);
  const V below = ops.less_than(floor, zero);
  return ops.add(floor, ops.cast(ops.logical_and(inexact, below), dtype));
}

// x / y, the smaller operand at `axis` of the other; of integers the whole
// part, as C++ divides.
template <typename Ops, typename V = typename Ops::Value>
void ElementwiseDiv(Ops& ops, const V& x, const V& y, int axis, V* out) {
  if (out == nullptr) return;
  *out = Aligned(ops, x, y, axis, [&](const V& a, const V& b) {
    return IsInteger(ops.dtype(a)) ? WholePart(ops, a, b) : ops.divide(a, b);
  });
}

// The gradient of elementwise_div: that of the operator without `axis`, in the
// operands' shapes.
template <typename Ops, typename V = typename Ops::Value>
void ElementwiseDivGrad(Ops& ops, const V& x, const V& y, const V& out,
                        const V& out_grad, int axis, V* x_grad, V* y_grad) {
  AlignedGrad(ops, x, y, axis, x_grad, y_grad,
              [&](const V& a, const V& b, V* a_grad, V* b_grad) {
                QuotientGrad(ops, a, b, out, out_grad, a_grad, b_grad);
              });
}

// x / y rounded down, the smaller operand at `axis` of the other.
template <typename Ops, typename V = typename Ops::Value>
void ElementwiseFloordiv(Ops& ops, const V& x, const V& y, int axis, V* out) {
  if (out == nullptr) return;
  *out = Aligned(ops, x, y, axis, [&](const V& a, const V& b) {
    return ops.floor_divide(a, b);
  });
}

// The remainder of x / y, the smaller operand at `axis` of the other.
template <typename Ops, typename V = typename Ops::Value>
void ElementwiseMod(Ops& ops, const V& x, const V& y, int axis, V* out) {
  if (out == nullptr) return;
  *out = Aligned(ops, x, y, axis,
                 [&](const V& a, const V& b) { return ops.remainder(a, b); });
}

// x to the power y, the smaller operand at `axis` of the other.
template <typename Ops, typename V = typename Ops::Value>
void LegacyElementwisePow(Ops& ops, const V& x, const V& y, int axis, V* out) {
  if (out == nullptr) return;
  *out = Aligned(ops, x, y, axis, [&](const V& a, const V& b) {
    return ops.elementwise_pow(a, b);
  });
}

// The gradient of legacy_elementwise_pow: that of the operator without `axis`,
// in the operands' shapes.
template <typename Ops, typename V = typename Ops::Value>
void LegacyElementwisePowGrad(Ops& ops, const V& x, const V& y, const V& out,
                              const V& out_grad, int axis, V* x_grad,
                              V* y_grad) {
  AlignedGrad(ops, x, y, axis, x_grad, y_grad,
              [&](const V& a, const V& b, V* a_grad, V* b_grad) {
                ElementwisePowGrad(ops, a, b, out, out_grad, a_grad, b_grad);
              });
}

// The smaller of x and y, the smaller operand at `axis` of the other.
template <typename Ops, typename V = typename Ops::Value>
void ElementwiseMin(Ops& ops, const V& x, const V& y, int axis, V* out) {
  if (out == nullptr) return;
  *out = Aligned(ops, x, y, axis,
                 [&](const V& a, const V& b) { return ops.minimum(a, b); });
}

// The gradient of elementwise_min, in the operands' shapes.
template <typename Ops, typename V = typename Ops::Value>
void ElementwiseMinGrad(Ops& ops, const V& x, const V& y, const V& out_grad,
                        int axis, V* x_grad, V* y_grad) {
  AlignedGrad(ops, x, y, axis, x_grad, y_grad,
              [&](const V& a, const V& b, V* a_grad, V* b_grad) {
                AheadGrad(ops, a, b, ops.less_than(a, b), out_grad, a_grad,
                          b_grad);
              });
}

// The extents of a tensor as old programs have them: int32.
template <typename Ops, typename V = typename Ops::Value>
void LegacyShape(Ops& ops, const V& input, V* out) {
  if (out == nullptr) return;
  *out = ops.cast(ops.shape(input), DataType::kInt32);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LEGACY_H_
