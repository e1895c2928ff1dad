// SPDX-License-Identifier: Apache-2.0
// Special functions, and gradients, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_SPECIAL_FUNCTION_H_
#define SWITCHYARD_PHI_COMPOSITE_SPECIAL_FUNCTION_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "phi/composite/elements.h"

namespace switchyard::phi::composite {

// The gradient of logit: g / (x (1 - x)) from eps to 1 - eps, 0 elsewhere.
// Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void LogitGrad(Ops& ops, const V& x, const V& out_grad, double eps, V* x_grad) {
  if (x_grad == nullptr) return;
  const V inside =
      ops.logical_and(ops.greater_equal(x, FullLike(ops, x, eps)),
                      ops.less_equal(x, FullLike(ops, x, 1 - eps)));
  // Where x is outside, the quotient may be infinite, and the gradient of this
  // gradient would multiply it by 0.
  const V within = ops.where(inside, x, FullLike(ops, x, 0.5));
  const V product = ops.multiply(within, Linear(ops, within, -1, 1));
  *x_grad = ops.where(inside, ops.divide(out_grad, product),
                      FullLike(ops, out_grad, 0));
}

// The gradient of erfinv: g exp(out^2) sqrt(pi) / 2. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void ErfinvGrad(Ops& ops, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  constexpr double kHalfRootOfPi = 0.88622692545275801365;
  const V slope = Times(ops, ops.exp(ops.square(out)), kHalfRootOfPi);
  *x_grad = ops.multiply(out_grad, slope);
}

// lgamma under its other name.
template <typename Ops, typename V = typename Ops::Value>
void Gammaln(Ops& ops, const V& x, V* out) {
  if (out != nullptr) *out = ops.lgamma(x);
}

// The gradient of lgamma: g digamma(x). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void LgammaGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = ops.multiply(out_grad, ops.digamma(x));
}

// The gradient of i0: g i1(x). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void I0Grad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = ops.multiply(out_grad, ops.i1(x));
}

// The gradient of i0e where it is differentiated again; the first derivative
// has a kernel: g (i1e(x) - sign(x) out).
template <typename Ops, typename V = typename Ops::Value>
void I0eGrad(Ops& ops, const V& x, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V falling = ops.multiply(ops.sign(x), out);
  *x_grad = ops.multiply(out_grad, ops.subtract(ops.i1e(x), falling));
}

// The gradient of i1: g (i0(x) - out / x), where out / x is 1/2 at 0, and near
// it, where out is too small to be divided. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void I1Grad(Ops& ops, const V& x, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V at_zero = ops.less_equal(ops.abs(x), FullLike(ops, x, 3e-8));
  const V divisor = ops.where(at_zero, FullLike(ops, x, 1), x);
  const V quotient =
      ops.where(at_zero, FullLike(ops, x, 0.5), ops.divide(out, divisor));
  // Where both are infinite they have no difference.
  const V slope = ops.where(ops.isinf(out), ops.abs(out),
                            ops.subtract(ops.i0(x), quotient));
  *x_grad = ops.multiply(out_grad, slope);
}

// The gradient of i1e where it is differentiated again; the first derivative
// has a kernel: g (i0e(x) - sign(x) out - out / x), where out / x is 1/2 at 0.
template <typename Ops, typename V = typename Ops::Value>
void I1eGrad(Ops& ops, const V& x, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V at_zero = ops.equal(x, FullLike(ops, x, 0));
  const V divisor = ops.where(at_zero, FullLike(ops, x, 1), x);
  const V quotient =
      ops.where(at_zero, FullLike(ops, x, 0.5), ops.divide(out, divisor));
  const V falling = ops.add(ops.multiply(ops.sign(x), out), quotient);
  *x_grad = ops.multiply(out_grad, ops.subtract(ops.i0e(x), falling));
}

// The gradient of the error function where it is differentiated again; the
// first derivative has a kernel: g 2 / sqrt(pi) exp(-x^2).
template <typename Ops, typename V = typename Ops::Value>
void ErfGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V square = Times(ops, ops.square(x), -1);
  const V slope = Times(ops, ops.exp(square), 1.1283791670955125739);
  *x_grad = ops.multiply(out_grad, slope);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SPECIAL_FUNCTION_H_
