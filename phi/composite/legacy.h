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
#include "phi/composite/calls/of_legacy.h"
#include "phi/composite/elements.h"
#include "phi/composite/exponential.h"
#include "phi/composite/extents.h"
#include "phi/composite/ops.h"
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
inline Value AlignedTo(Ops& ops, const Value& v, int rank, int axis) {
  const int own = ops.shape(v).rank();
  if (axis < 0 || axis > rank - own) {
    ops.Fail(RangeError("axis",
                        "-1 or in [0, " + std::to_string(rank - own) + "]",
                        std::to_string(axis)));
    return v;
  }
  const std::vector<int64_t> axes = AxesAfter(own, rank, axis);
  return axes.empty() ? v : op::unsqueeze(ops, v, axes);
}

// Returns body(x, y) under the `axis` rule of old elementwise operators: the
// axes of the operand of smaller rank are axis, axis + 1, ... of the other; -1
// aligns the last ones, as broadcasting does. Not an operator's composite
// itself.
template <typename Body>
Value Aligned(Ops& ops, const Value& x, const Value& y, int axis, Body body) {
  const int x_rank = ops.shape(x).rank(), y_rank = ops.shape(y).rank();
  if (axis == -1) return body(x, y);
  if (x_rank < y_rank) return body(AlignedTo(ops, x, y_rank, axis), y);
  return body(x, AlignedTo(ops, y, x_rank, axis));
}

// Reduces `*grad`, a gradient of the aligned operand, to the axes of `operand`.
// Part of the gradient of an elementwise operator under the `axis` rule; not an
// operator's composite itself.
inline void ShapedAs(Ops& ops, const Value& operand, int rank, int axis,
                     Value* grad) {
  if (grad == nullptr) return;
  const std::vector<int64_t> axes =
      AxesAfter(ops.shape(operand).rank(), rank, axis);
  if (!axes.empty()) *grad = op::squeeze(ops, *grad, axes);
}

// body(x, y, x_grad, y_grad) on the aligned operands.
template <typename Body>
void AlignedGrad(Ops& ops, const Value& x, const Value& y, int axis,
                 Value* x_grad, Value* y_grad, Body body) {
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
inline void ElementwiseSub(Ops& ops, const Value& x, const Value& y, int axis,
                           Value* out) {
  if (out == nullptr) return;
  *out = Aligned(ops, x, y, axis, [&](const Value& a, const Value& b) {
    return op::subtract(ops, a, b);
  });
}

// The gradient of elementwise_sub: that of the operator without `axis`, in the
// operands' shapes.
inline void ElementwiseSubGrad(Ops& ops, const Value& x, const Value& y,
                               const Value& out_grad, int axis, Value* x_grad,
                               Value* y_grad) {
  AlignedGrad(
      ops, x, y, axis, x_grad, y_grad,
      [&](const Value& a, const Value& b, Value* a_grad, Value* b_grad) {
        SubtractGrad(ops, a, b, out_grad, a_grad, b_grad);
      });
}

// x * y, the smaller operand at `axis` of the other.
inline void ElementwiseMul(Ops& ops, const Value& x, const Value& y, int axis,
                           Value* out) {
  if (out == nullptr) return;
  *out = Aligned(ops, x, y, axis, [&](const Value& a, const Value& b) {
    return op::multiply(ops, a, b);
  });
}

// The gradient of elementwise_mul: that of the operator without `axis`, in the
// operands' shapes.
inline void ElementwiseMulGrad(Ops& ops, const Value& x, const Value& y,
                               const Value& out_grad, int axis, Value* x_grad,
                               Value* y_grad) {
  AlignedGrad(
      ops, x, y, axis, x_grad, y_grad,
      [&](const Value& a, const Value& b, Value* a_grad, Value* b_grad) {
        MultiplyGrad(ops, a, b, out_grad, a_grad, b_grad);
      });
}

// The larger of x and y, the smaller operand at `axis` of the other.
inline void ElementwiseMax(Ops& ops, const Value& x, const Value& y, int axis,
                           Value* out) {
  if (out == nullptr) return;
  *out = Aligned(ops, x, y, axis, [&](const Value& a, const Value& b) {
    return op::maximum(ops, a, b);
  });
}

// Gives g to a where it is ahead of b, to b elsewhere: at equality to b, as in
// Paddle. Part of the gradients of elementwise_max and elementwise_min; not an
// operator's composite itself.
inline void AheadGrad(Ops& ops, const Value& a, const Value& b,
                      const Value& ahead, const Value& out_grad, Value* a_grad,
                      Value* b_grad) {
  const Value share = op::cast(ops, ahead, ops.dtype(out_grad));
  if (a_grad != nullptr) {
    *a_grad = ReduceTo(ops, op::multiply(ops, out_grad, share), a);
  }
  if (b_grad != nullptr) {
    const Value rest = Linear(ops, share, -1, 1);
    *b_grad = ReduceTo(ops, op::multiply(ops, out_grad, rest), b);
  }
}

// The gradient of elementwise_max, in the operands' shapes.
inline void ElementwiseMaxGrad(Ops& ops, const Value& x, const Value& y,
                               const Value& out_grad, int axis, Value* x_grad,
                               Value* y_grad) {
  AlignedGrad(
      ops, x, y, axis, x_grad, y_grad,
      [&](const Value& a, const Value& b, Value* a_grad, Value* b_grad) {
        AheadGrad(ops, a, b, op::less_than(ops, b, a), out_grad, a_grad,
                  b_grad);
      });
}

// The matrix product of old programs: alpha * x y.
inline void LegacyMatmul(Ops& ops, const Value& x, const Value& y,
                         bool transpose_x, bool transpose_y, float alpha,
                         Value* out) {
  if (out == nullptr) return;
  *out = op::matmul(ops, x, y, transpose_x, transpose_y);
  if (alpha != 1.0f) *out = Times(ops, *out, alpha);
}

// tril or triu, as `lower` says.
inline void TrilTriu(Ops& ops, const Value& x, int diagonal, bool lower,
                     Value* out) {
  if (out == nullptr) return;
  *out = lower ? op::tril(ops, x, diagonal) : op::triu(ops, x, diagonal);
}

// one_hot of indices whose last axis, of extent 1, drops.
inline void LegacyOneHot(Ops& ops, const Value& x, AttrArg<int> num_classes,
                         bool allow_out_of_range, Value* out) {
  if (out == nullptr) return;
  const Shape shape = ops.shape(x);
  const int last = shape.rank() - 1;
  if (last < 0 || !MayEqual(shape[last], Dim(1))) {
    return ops.Fail(
        ArgumentError("x", "of extent 1 along the last axis", ToString(shape)));
  }
  *out = op::one_hot(ops, op::squeeze(ops, x, {int64_t{last}}), num_classes,
                     allow_out_of_range);
}

// The quotient of integers without its fraction: floor(a / b), and one more
// where that is below zero and not exact.
inline Value WholePart(Ops& ops, const Value& a, const Value& b) {
  const DataType dtype = ops.dtype(a);
  const Value floor = op::floor_divide(ops, a, b);
  const Value inexact = op::not_equal(ops, op::multiply(ops, floor, b), a);
  const Value zero = op::full_like(ops, floor, Scalar(int64_t{0}), dtype);
  const Value below = op::less_than(ops, floor, zero);
  return op::add(ops, floor,
                 op::cast(ops, op::logical_and(ops, inexact, below), dtype));
}

// x / y, the smaller operand at `axis` of the other; of integers the whole
// part, as C++ divides.
inline void ElementwiseDiv(Ops& ops, const Value& x, const Value& y, int axis,
                           Value* out) {
  if (out == nullptr) return;
  *out = Aligned(ops, x, y, axis, [&](const Value& a, const Value& b) {
    return IsInteger(ops.dtype(a)) ? WholePart(ops, a, b)
                                   : op::divide(ops, a, b);
  });
}

// The gradient of elementwise_div: that of the operator without `axis`, in the
// operands' shapes.
inline void ElementwiseDivGrad(Ops& ops, const Value& x, const Value& y,
                               const Value& out, const Value& out_grad,
                               int axis, Value* x_grad, Value* y_grad) {
  AlignedGrad(
      ops, x, y, axis, x_grad, y_grad,
      [&](const Value& a, const Value& b, Value* a_grad, Value* b_grad) {
        QuotientGrad(ops, a, b, out, out_grad, a_grad, b_grad);
      });
}

// x / y rounded down, the smaller operand at `axis` of the other.
inline void ElementwiseFloordiv(Ops& ops, const Value& x, const Value& y,
                                int axis, Value* out) {
  if (out == nullptr) return;
  *out = Aligned(ops, x, y, axis, [&](const Value& a, const Value& b) {
    return op::floor_divide(ops, a, b);
  });
}

// The remainder of x / y, the smaller operand at `axis` of the other.
inline void ElementwiseMod(Ops& ops, const Value& x, const Value& y, int axis,
                           Value* out) {
  if (out == nullptr) return;
  *out = Aligned(ops, x, y, axis, [&](const Value& a, const Value& b) {
    return op::remainder(ops, a, b);
  });
}

// x to the power y, the smaller operand at `axis` of the other.
inline void LegacyElementwisePow(Ops& ops, const Value& x, const Value& y,
                                 int axis, Value* out) {
  if (out == nullptr) return;
  *out = Aligned(ops, x, y, axis, [&](const Value& a, const Value& b) {
    return op::elementwise_pow(ops, a, b);
  });
}

// The gradient of legacy_elementwise_pow: that of the operator without `axis`,
// in the operands' shapes.
inline void LegacyElementwisePowGrad(Ops& ops, const Value& x, const Value& y,
                                     const Value& out, const Value& out_grad,
                                     int axis, Value* x_grad, Value* y_grad) {
  AlignedGrad(
      ops, x, y, axis, x_grad, y_grad,
      [&](const Value& a, const Value& b, Value* a_grad, Value* b_grad) {
        ElementwisePowGrad(ops, a, b, out, out_grad, a_grad, b_grad);
      });
}

// The smaller of x and y, the smaller operand at `axis` of the other.
inline void ElementwiseMin(Ops& ops, const Value& x, const Value& y, int axis,
                           Value* out) {
  if (out == nullptr) return;
  *out = Aligned(ops, x, y, axis, [&](const Value& a, const Value& b) {
    return op::minimum(ops, a, b);
  });
}

// The gradient of elementwise_min, in the operands' shapes.
inline void ElementwiseMinGrad(Ops& ops, const Value& x, const Value& y,
                               const Value& out_grad, int axis, Value* x_grad,
                               Value* y_grad) {
  AlignedGrad(
      ops, x, y, axis, x_grad, y_grad,
      [&](const Value& a, const Value& b, Value* a_grad, Value* b_grad) {
        AheadGrad(ops, a, b, op::less_than(ops, a, b), out_grad, a_grad,
                  b_grad);
      });
}

// The extents of a tensor as old programs have them: int32.
inline void LegacyShape(Ops& ops, const Value& input, Value* out) {
  if (out == nullptr) return;
  *out = op::cast(ops, op::shape(ops, input), DataType::kInt32);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_LEGACY_H_
