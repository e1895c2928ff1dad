// SPDX-License-Identifier: Apache-2.0
// The gradients of operators of two and three numbers, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_COMBINATION_H_
#define SWITCHYARD_PHI_COMPOSITE_COMBINATION_H_

#include "phi/composite/elements.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

// The gradient of fmax with broadcasting: g goes to x where x >= y or y is NaN,
// else to y. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void FmaxGrad(Ops& ops, const V& x, const V& y, const V& out_grad, V* x_grad,
              V* y_grad) {
  const V first = ops.logical_or(ops.greater_equal(x, y), ops.isnan(y));
  const V zero = FullLike(ops, out_grad, 0);
  if (x_grad != nullptr) {
    *x_grad = ReduceTo(ops, ops.where(first, out_grad, zero), x);
  }
  if (y_grad != nullptr) {
    *y_grad = ReduceTo(ops, ops.where(first, zero, out_grad), y);
  }
}

// The gradient of fmin with broadcasting: g goes to x where x <= y or y is NaN,
// else to y. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void FminGrad(Ops& ops, const V& x, const V& y, const V& out_grad, V* x_grad,
              V* y_grad) {
  const V first = ops.logical_or(ops.less_equal(x, y), ops.isnan(y));
  const V zero = FullLike(ops, out_grad, 0);
  if (x_grad != nullptr) {
    *x_grad = ReduceTo(ops, ops.where(first, out_grad, zero), x);
  }
  if (y_grad != nullptr) {
    *y_grad = ReduceTo(ops, ops.where(first, zero, out_grad), y);
  }
}

// The gradient of copysign with broadcasting: g sign(x) with the sign of y, for
// x alone. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void CopysignGrad(Ops& ops, const V& x, const V& y, const V& out_grad,
                  V* x_grad, V* y_grad) {
  if (x_grad != nullptr) {
    const V one = FullLike(ops, x, 1);
    const V slope = ops.multiply(ops.sign(x), ops.copysign(one, y));
    *x_grad = ReduceTo(ops, ops.multiply(out_grad, slope), x);
  }
  if (y_grad != nullptr) *y_grad = FullLike(ops, y, 0);
}

// The gradient of heaviside with broadcasting: g goes to y where x is 0,
// nothing to x. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void HeavisideGrad(Ops& ops, const V& x, const V& y, const V& out_grad,
                   V* x_grad, V* y_grad) {
  const V zero = FullLike(ops, x, 0);
  if (x_grad != nullptr) *x_grad = zero;
  if (y_grad != nullptr) {
    const V none = FullLike(ops, out_grad, 0);
    *y_grad = ReduceTo(ops, ops.where(ops.equal(x, zero), out_grad, none), y);
  }
}

// The gradient of lerp with broadcasting: g (1 - weight), g weight and
// g (y - x). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void LerpGrad(Ops& ops, const V& x, const V& y, const V& weight,
              const V& out_grad, V* x_grad, V* y_grad, V* weight_grad) {
  if (x_grad != nullptr) {
    const V rest = Linear(ops, weight, -1, 1);
    *x_grad = ReduceTo(ops, ops.multiply(out_grad, rest), x);
  }
  if (y_grad != nullptr) {
    *y_grad = ReduceTo(ops, ops.multiply(out_grad, weight), y);
  }
  if (weight_grad != nullptr) {
    const V slope = ops.multiply(out_grad, ops.subtract(y, x));
    *weight_grad = ReduceTo(ops, slope, weight);
  }
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_COMBINATION_H_
