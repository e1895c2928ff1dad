// SPDX-License-Identifier: Apache-2.0
// The gradients of operators of two and three numbers, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_COMBINATION_H_
#define SWITCHYARD_PHI_COMPOSITE_COMBINATION_H_

#include "phi/composite/calls/of_combination.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

// The gradient of fmax with broadcasting: g goes to x where x >= y or y is NaN,
// else to y. Differentiable again.
inline void FmaxGrad(Ops& ops, const Value& x, const Value& y,
                     const Value& out_grad, Value* x_grad, Value* y_grad) {
  const Value first =
      op::logical_or(ops, op::greater_equal(ops, x, y), op::isnan(ops, y));
  const Value zero = FullLike(ops, out_grad, 0);
  if (x_grad != nullptr) {
    *x_grad = ReduceTo(ops, op::where(ops, first, out_grad, zero), x);
  }
  if (y_grad != nullptr) {
    *y_grad = ReduceTo(ops, op::where(ops, first, zero, out_grad), y);
  }
}

// The gradient of fmin with broadcasting: g goes to x where x <= y or y is NaN,
// else to y. Differentiable again.
inline void FminGrad(Ops& ops, const Value& x, const Value& y,
                     const Value& out_grad, Value* x_grad, Value* y_grad) {
  const Value first =
      op::logical_or(ops, op::less_equal(ops, x, y), op::isnan(ops, y));
  const Value zero = FullLike(ops, out_grad, 0);
  if (x_grad != nullptr) {
    *x_grad = ReduceTo(ops, op::where(ops, first, out_grad, zero), x);
  }
  if (y_grad != nullptr) {
    *y_grad = ReduceTo(ops, op::where(ops, first, zero, out_grad), y);
  }
}

// The gradient of copysign with broadcasting: g sign(x) with the sign of y, for
// x alone. Differentiable again.
inline void CopysignGrad(Ops& ops, const Value& x, const Value& y,
                         const Value& out_grad, Value* x_grad, Value* y_grad) {
  if (x_grad != nullptr) {
    const Value one = FullLike(ops, x, 1);
    const Value slope =
        op::multiply(ops, op::sign(ops, x), op::copysign(ops, one, y));
    *x_grad = ReduceTo(ops, op::multiply(ops, out_grad, slope), x);
  }
  if (y_grad != nullptr) *y_grad = FullLike(ops, y, 0);
}

// The gradient of heaviside with broadcasting: g goes to y where x is 0,
// nothing to x. Differentiable again.
inline void HeavisideGrad(Ops& ops, const Value& x, const Value& y,
                          const Value& out_grad, Value* x_grad, Value* y_grad) {
  const Value zero = FullLike(ops, x, 0);
  if (x_grad != nullptr) *x_grad = zero;
  if (y_grad != nullptr) {
    const Value none = FullLike(ops, out_grad, 0);
    *y_grad = ReduceTo(
        ops, op::where(ops, op::equal(ops, x, zero), out_grad, none), y);
  }
}

// The gradient of lerp with broadcasting: g (1 - weight), g weight and
// g (y - x). Differentiable again.
inline void LerpGrad(Ops& ops, const Value& x, const Value& y,
                     const Value& weight, const Value& out_grad, Value* x_grad,
                     Value* y_grad, Value* weight_grad) {
  if (x_grad != nullptr) {
    const Value rest = Linear(ops, weight, -1, 1);
    *x_grad = ReduceTo(ops, op::multiply(ops, out_grad, rest), x);
  }
  if (y_grad != nullptr) {
    *y_grad = ReduceTo(ops, op::multiply(ops, out_grad, weight), y);
  }
  if (weight_grad != nullptr) {
    const Value slope = op::multiply(ops, out_grad, op::subtract(ops, y, x));
    *weight_grad = ReduceTo(ops, slope, weight);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_COMBINATION_H_
