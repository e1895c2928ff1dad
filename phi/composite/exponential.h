// SPDX-License-Identifier: Apache-2.0
// The gradients of powers, roots, exponentials and logarithms, made of
// operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_EXPONENTIAL_H_
#define SWITCHYARD_PHI_COMPOSITE_EXPONENTIAL_H_

#include <complex>

#include "framework/types/attr_arg.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "phi/composite/calls/of_exponential.h"
#include "phi/composite/conjugate.h"
#include "phi/composite/elements.h"
#include "phi/composite/ops.h"
#include "phi/composite/reduce_to.h"
#include "phi/composite/widening.h"
#include "phi/composite/wider.h"

namespace switchyard::phi::composite {

// The gradient of out = x^y with broadcasting: g y x^(y - 1), and g log(x) out.
// At x = 0 the first is 0 where y = 0, and the second where y >= 0 (its real
// part, of complex numbers), though a factor is infinite. Differentiable again.
inline void ElementwisePowGrad(Ops& ops, const Value& x, const Value& y,
                               const Value& out, const Value& out_grad,
                               Value* x_grad, Value* y_grad) {
  const Value zero = FullLike(ops, y, 0);
  const Value one = FullLike(ops, y, 1);
  const Value origin = op::equal(ops, x, FullLike(ops, x, 0));
  // The infinite factor is computed of 1 instead of x: times 0, here or in the
  // gradient of this, it would be NaN.
  const auto base = [&](const Value& condition) {
    return op::where(ops, op::logical_and(ops, origin, condition), one, x);
  };
  if (x_grad != nullptr) {
    // y - 1 loses digits of y, and what is lost times log(x) is relative.
    const DataType dtype = ops.dtype(y), wide = WiderThan(dtype);
    const Value wide_x = Narrowed(ops, base(op::equal(ops, y, zero)), wide);
    const Value wide_y = Narrowed(ops, y, wide);
    const Value power = op::elementwise_pow(
        ops, wide_x, op::subtract(ops, wide_y, FullLike(ops, wide_y, 1)));
    const Value slope = op::multiply(ops, wide_y, power);
    const Value grad = op::multiply(ops, Narrowed(ops, out_grad, wide),
                                    Conjugated(ops, slope));
    *x_grad = ReduceTo(ops, Narrowed(ops, grad, dtype), x);
  }
  if (y_grad != nullptr) {
    const bool complex = IsComplex(ops.dtype(y));
    const Value positive =
        complex ? op::less_equal(ops, op::real(ops, zero), op::real(ops, y))
                : op::less_equal(ops, zero, y);
    const Value slope = op::multiply(ops, op::log(ops, base(positive)), out);
    *y_grad =
        ReduceTo(ops, op::multiply(ops, out_grad, Conjugated(ops, slope)), y);
  }
}

// The gradient of exp from its result. Differentiable again.
inline void ExpGrad(Ops& ops, const Value& out, const Value& out_grad,
                    Value* x_grad) {
  if (x_grad != nullptr)
    *x_grad = op::multiply(ops, out_grad, Conjugated(ops, out));
}

// The gradient of the natural logarithm: g / x. Differentiable again.
inline void LogGrad(Ops& ops, const Value& x, const Value& out_grad,
                    Value* x_grad) {
  if (x_grad != nullptr)
    *x_grad = op::divide(ops, out_grad, Conjugated(ops, x));
}

// The gradient of the square root from its result: g / (2 out). Differentiable
// again.
inline void SqrtGrad(Ops& ops, const Value& out, const Value& out_grad,
                     Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value half = Times(ops, out_grad, 0.5);
  *x_grad = op::divide(ops, half, Conjugated(ops, out));
}

// The gradient of 1 / sqrt(x) from its result: -g out^3 / 2. Differentiable
// again.
inline void RsqrtGrad(Ops& ops, const Value& out, const Value& out_grad,
                      Value* x_grad) {
  if (x_grad == nullptr) return;
  // Half first: the whole cube may overflow.
  const Value half = Times(ops, out, -0.5);
  *x_grad = op::multiply(ops, out_grad,
                         op::multiply(ops, op::square(ops, out), half));
}

// The gradient of x * x: 2 g x. Differentiable again.
inline void SquareGrad(Ops& ops, const Value& x, const Value& out_grad,
                       Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value twice = Times(ops, out_grad, 2);
  *x_grad = op::multiply(ops, twice, Conjugated(ops, x));
}

// The gradient of x^y for a number y: g y x^(y - 1); zero for y = 0, whatever
// x. Differentiable again.
inline void PowGrad(Ops& ops, const Value& x, const Value& out_grad,
                    AttrArg<const Scalar&> y, Value* x_grad) {
  if (x_grad == nullptr) return;
  if (!y.known()) {
    const Value power = op::full(ops, IntArray(), y, ops.dtype(x));
    const Value zero = FullLike(ops, power, 0);
    const Value one = FullLike(ops, power, 1);
    const Value slope = op::multiply(
        ops, op::elementwise_pow(ops, x, op::subtract(ops, power, one)), power);
    const Value kept = op::where(ops, op::equal(ops, power, zero), zero, slope);
    *x_grad = op::multiply(ops, out_grad, Conjugated(ops, kept));
    return;
  }
  const auto power = y.value().template to<std::complex<double>>();
  if (power == 0.0) {
    *x_grad = FullLike(ops, x, 0);
    return;
  }
  const Scalar less =
      power.imag() == 0 ? Scalar(power.real() - 1) : Scalar(power - 1.0);
  const Value slope =
      op::scale(ops, op::pow(ops, x, less), y, Scalar(0.0), true);
  *x_grad = op::multiply(ops, out_grad, Conjugated(ops, slope));
}

// The gradient of log2: g / (x ln 2). Differentiable again.
inline void Log2Grad(Ops& ops, const Value& x, const Value& out_grad,
                     Value* x_grad) {
  if (x_grad == nullptr) return;
  constexpr double kLn2 = 0.69314718055994530942;
  const Value scaled = Times(ops, Widened(ops, x), kLn2);
  const Value slope =
      op::divide(ops, Widened(ops, out_grad), Conjugated(ops, scaled));
  *x_grad = Narrowed(ops, slope, ops.dtype(x));
}

// The gradient of log10: g / (x ln 10). Differentiable again.
inline void Log10Grad(Ops& ops, const Value& x, const Value& out_grad,
                      Value* x_grad) {
  if (x_grad == nullptr) return;
  constexpr double kLn10 = 2.30258509299404568402;
  const Value scaled = Times(ops, Widened(ops, x), kLn10);
  const Value slope =
      op::divide(ops, Widened(ops, out_grad), Conjugated(ops, scaled));
  *x_grad = Narrowed(ops, slope, ops.dtype(x));
}

// The gradient of log1p: g / (1 + x). Differentiable again.
inline void Log1pGrad(Ops& ops, const Value& x, const Value& out_grad,
                      Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value sum = Linear(ops, x, 1, 1);
  *x_grad = op::divide(ops, out_grad, Conjugated(ops, sum));
}

// The gradient of expm1: g exp(x), of which the result out has nothing left
// below -17. Differentiable again.
inline void Expm1InputGrad(Ops& ops, const Value& x, const Value& out_grad,
                           Value* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = op::multiply(ops, out_grad, Conjugated(ops, op::exp(ops, x)));
}

// The gradient of expm1 from its result: g out + g. Differentiable again.
inline void Expm1Grad(Ops& ops, const Value& out, const Value& out_grad,
                      Value* x_grad) {
  if (x_grad == nullptr) return;
  const Value product = op::multiply(ops, out_grad, Conjugated(ops, out));
  *x_grad = op::add(ops, product, out_grad);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_EXPONENTIAL_H_
