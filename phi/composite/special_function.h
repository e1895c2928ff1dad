// SPDX-License-Identifier: Apache-2.0
// Special functions, and gradients, made of operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_SPECIAL_FUNCTION_H_
#define SWITCHYARD_PHI_COMPOSITE_SPECIAL_FUNCTION_H_

#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "phi/composite/calls/of_special_function.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"
#include "phi/composite/widening.h"

namespace switchyard::phi::composite {

// The gradient of logit: g / (x (1 - x)) from eps to 1 - eps, 0 elsewhere.
// Differentiable again.
inline void LogitGrad(Ops& ops, const Value& x, const Value& out_grad,
                      double eps, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value inside =
      op::logical_and(ops, op::greater_equal(ops, x, FullLike(ops, x, eps)),
                      op::less_equal(ops, x, FullLike(ops, x, 1 - eps)));
  // Where x is outside, the quotient may be infinite, and the gradient of this
  // gradient would multiply it by 0.
  const Value within = op::where(ops, inside, x, FullLike(ops, x, 0.5));
  const Value product = op::multiply(ops, within, Linear(ops, within, -1, 1));
  *x_grad = op::where(ops, inside, op::divide(ops, out_grad, product),
                      FullLike(ops, out_grad, 0));
}

// The gradient of erfinv: g exp(out^2) sqrt(pi) / 2. Differentiable again.
inline void ErfinvGrad(Ops& ops, const Value& out, const Value& out_grad,
                       Value* x_grad) {
  if (x_grad == nullptr) return;
  constexpr double kHalfRootOfPi = 0.88622692545275801365;
  const Value slope =
      Times(ops, op::exp(ops, op::square(ops, out)), kHalfRootOfPi);
  *x_grad = op::multiply(ops, out_grad, slope);
}

// lgamma under its other name.
inline void Gammaln(Ops& ops, const Value& x, Value* out) {
  if (out != nullptr) *out = op::lgamma(ops, x);
}

// The gradient of lgamma: g digamma(x). Differentiable again.
inline void LgammaGrad(Ops& ops, const Value& x, const Value& out_grad,
                       Value* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = op::multiply(ops, out_grad, op::digamma(ops, x));
}

// The gradient of i0: g i1(x). Differentiable again.
inline void I0Grad(Ops& ops, const Value& x, const Value& out_grad,
                   Value* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = op::multiply(ops, out_grad, op::i1(ops, x));
}

// The gradient of i0e where it is differentiated again; the first derivative
// has a kernel: g (i1e(x) - sign(x) out).
inline void I0eGrad(Ops& ops, const Value& x, const Value& out,
                    const Value& out_grad, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value falling = op::multiply(ops, op::sign(ops, x), out);
  *x_grad =
      op::multiply(ops, out_grad, op::subtract(ops, op::i1e(ops, x), falling));
}

// The gradient of i1: g (i0(x) - out / x), where out / x is 1/2 at 0, and near
// it, where out is too small to be divided. Differentiable again.
inline void I1Grad(Ops& ops, const Value& x, const Value& out,
                   const Value& out_grad, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value wide = Widened(ops, x);
  // The result in a 16-bit dtype is infinite where the gradient is not yet.
  const Value whole = ops.dtype(x) == ops.dtype(wide) ? out : op::i1(ops, wide);
  const Value at_zero =
      op::less_equal(ops, op::abs(ops, wide), FullLike(ops, wide, 3e-8));
  const Value divisor = op::where(ops, at_zero, FullLike(ops, wide, 1), wide);
  const Value quotient = op::where(ops, at_zero, FullLike(ops, wide, 0.5),
                                   op::divide(ops, whole, divisor));
  // Where both are infinite they have no difference.
  const Value slope = op::where(ops, op::isinf(ops, whole), op::abs(ops, whole),
                                op::subtract(ops, op::i0(ops, wide), quotient));
  *x_grad = Narrowed(ops, op::multiply(ops, Widened(ops, out_grad), slope),
                     ops.dtype(x));
}

// The gradient of i1e where it is differentiated again; the first derivative
// has a kernel: g (i0e(x) - sign(x) out - out / x), where out / x is 1/2 at 0.
inline void I1eGrad(Ops& ops, const Value& x, const Value& out,
                    const Value& out_grad, Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value at_zero = op::equal(ops, x, FullLike(ops, x, 0));
  const Value divisor = op::where(ops, at_zero, FullLike(ops, x, 1), x);
  const Value quotient = op::where(ops, at_zero, FullLike(ops, x, 0.5),
                                   op::divide(ops, out, divisor));
  const Value falling =
      op::add(ops, op::multiply(ops, op::sign(ops, x), out), quotient);
  *x_grad =
      op::multiply(ops, out_grad, op::subtract(ops, op::i0e(ops, x), falling));
}

// The gradient of the error function where it is differentiated again; the
// first derivative has a kernel: g 2 / sqrt(pi) exp(-x^2).
inline void ErfGrad(Ops& ops, const Value& x, const Value& out_grad,
                    Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value square = Times(ops, op::square(ops, x), -1);
  const Value slope = Times(ops, op::exp(ops, square), 1.1283791670955125739);
  *x_grad = op::multiply(ops, out_grad, slope);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_SPECIAL_FUNCTION_H_
