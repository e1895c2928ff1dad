// SPDX-License-Identifier: Apache-2.0
// The gradients of inverse functions, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_INVERSE_H_
#define SWITCHYARD_PHI_COMPOSITE_INVERSE_H_

#include "framework/types/data_type.h"
#include "phi/composite/calls/of_inverse.h"
#include "phi/composite/conjugate.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"
#include "phi/composite/reduce_to.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// (1 - x) (1 + x), which is 1 - x^2 without the rounding of x^2: near 1 there
// is nothing else left of the difference. Of complex numbers as written, since
// their roots have cuts. Not an operator's composite itself.
inline Value OneLessSquare(Ops& ops, const Value& x) {
  if (IsComplex(ops.dtype(x))) return Linear(ops, op::square(ops, x), -1, 1);
  return op::multiply(ops, Linear(ops, x, -1, 1), Linear(ops, x, 1, 1));
}

// The gradient of acos: -g / sqrt(1 - x^2). Differentiable again.
inline void AcosGrad(Ops& ops, const Value& x, const Value& out_grad,
                     Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value root = Conjugated(ops, op::sqrt(ops, OneLessSquare(ops, x)));
  *x_grad = Times(ops, op::divide(ops, out_grad, root), -1);
}

// The gradient of asin: g / sqrt(1 - x^2). Differentiable again.
inline void AsinGrad(Ops& ops, const Value& x, const Value& out_grad,
                     Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value root = Conjugated(ops, op::sqrt(ops, OneLessSquare(ops, x)));
  *x_grad = op::divide(ops, out_grad, root);
}

// The gradient of atan: g / (1 + x^2). Differentiable again.
inline void AtanGrad(Ops& ops, const Value& x, const Value& out_grad,
                     Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value sum = Linear(ops, op::square(ops, x), 1, 1);
  *x_grad = op::divide(ops, out_grad, Conjugated(ops, sum));
}

// The gradient of acosh: g / (sqrt(x - 1) sqrt(x + 1)). The root of x^2 - 1
// would lose what is left near 1, overflow, and might be the other one of a
// complex number. Differentiable again.
inline void AcoshGrad(Ops& ops, const Value& x, const Value& out_grad,
                      Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value below = Linear(ops, x, 1, -1);
  const Value above = Linear(ops, x, 1, 1);
  const Value root =
      op::multiply(ops, op::sqrt(ops, below), op::sqrt(ops, above));
  *x_grad = op::divide(ops, out_grad, Conjugated(ops, root));
}

// The gradient of asinh: g / sqrt(x^2 + 1), where the root is |x| of large
// real numbers, whose squares may overflow. Differentiable again.
inline void AsinhGrad(Ops& ops, const Value& x, const Value& out_grad,
                      Value* x_grad) {
  if (x_grad == nullptr) return;
  const auto root = [&](const Value& v) {
    return op::sqrt(ops, Linear(ops, op::square(ops, v), 1, 1));
  };
  if (IsComplex(ops.dtype(x))) {
    *x_grad = op::divide(ops, out_grad, op::conj(ops, root(x)));
    return;
  }
  const Value wide = Widened(ops, x);
  const Value size = op::abs(ops, wide);
  // From here on 1 is lost beside the square in every dtype.
  const Value large = op::greater_than(ops, size, FullLike(ops, wide, 1e9));
  const Value small = op::where(ops, large, FullLike(ops, wide, 1), wide);
  const Value slope = op::divide(ops, Widened(ops, out_grad),
                                 op::where(ops, large, size, root(small)));
  *x_grad = Narrowed(ops, slope, ops.dtype(x));
}

// The gradient of atanh: g / (1 - x^2). Differentiable again.
inline void AtanhGrad(Ops& ops, const Value& x, const Value& out_grad,
                      Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value product = Conjugated(ops, OneLessSquare(ops, x));
  *x_grad = op::divide(ops, out_grad, product);
}

// The gradient of atan2 with broadcasting: g y / (x^2 + y^2), and
// -g x / (x^2 + y^2); 0 at the origin and at infinity. Both numbers are divided
// by the larger one, whose square may leave the range. Differentiable again.
inline void Atan2Grad(Ops& ops, const Value& x, const Value& y,
                      const Value& out_grad, Value* x_grad, Value* y_grad) {
  const Value larger = op::maximum(ops, op::abs(ops, x), op::abs(ops, y));
  const Value zero = FullLike(ops, larger, 0);
  const Value none =
      op::logical_or(ops, op::equal(ops, larger, zero), op::isinf(ops, larger));
  const Value size = op::where(ops, none, FullLike(ops, larger, 1), larger);
  const Value a = op::divide(ops, op::where(ops, none, zero, x), size);
  const Value b = op::divide(ops, op::where(ops, none, zero, y), size);
  // From 1 to 2; 1 where both are 0.
  const Value sum = op::where(
      ops, none, size, op::add(ops, op::square(ops, a), op::square(ops, b)));
  const auto slope = [&](const Value& part) {
    const Value share = op::divide(ops, op::divide(ops, part, sum), size);
    return op::multiply(ops, out_grad, share);
  };
  if (x_grad != nullptr) *x_grad = ReduceTo(ops, slope(b), x);
  if (y_grad != nullptr) *y_grad = op::neg(ops, ReduceTo(ops, slope(a), y));
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_INVERSE_H_
