// SPDX-License-Identifier: Apache-2.0
// The gradients of powers, roots, exponentials and logarithms, made of
// operators.
#ifndef SWITCHYARD_PHI_COMPOSITE_EXPONENTIAL_H_
#define SWITCHYARD_PHI_COMPOSITE_EXPONENTIAL_H_

#include <complex>

#include "framework/types/attr_arg.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"
#include "phi/composite/conjugate.h"
#include "phi/composite/elements.h"
#include "phi/composite/reduce_to.h"

namespace switchyard::phi::composite {

// The gradient of out = x^y with broadcasting: g y x^(y - 1), and g log(x) out.
// At x = 0 the first is 0 where y = 0, and the second where y >= 0 (its real
// part, of complex numbers), though a factor is infinite. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void ElementwisePowGrad(Ops& ops, const V& x, const V& y, const V& out,
                        const V& out_grad, V* x_grad, V* y_grad) {
  const V zero = FullLike(ops, y, 0);
  const V one = FullLike(ops, y, 1);
  const V origin = ops.equal(x, FullLike(ops, x, 0));
  // The infinite factor is computed of 1 instead of x: times 0, here or in the
  // gradient of this, it would be NaN.
  const auto base = [&](const V& condition) {
    return ops.where(ops.logical_and(origin, condition), one, x);
  };
  if (x_grad != nullptr) {
    const V power =
        ops.elementwise_pow(base(ops.equal(y, zero)), ops.subtract(y, one));
    const V slope = ops.multiply(y, power);
    *x_grad = ReduceTo(ops, ops.multiply(out_grad, Conjugated(ops, slope)), x);
  }
  if (y_grad != nullptr) {
    const bool complex = IsComplex(ops.dtype(y));
    const V positive = complex ? ops.less_equal(ops.real(zero), ops.real(y))
                               : ops.less_equal(zero, y);
    const V slope = ops.multiply(ops.log(base(positive)), out);
    *y_grad = ReduceTo(ops, ops.multiply(out_grad, Conjugated(ops, slope)), y);
  }
}

// The gradient of exp from its result. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void ExpGrad(Ops& ops, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad != nullptr) *x_grad = ops.multiply(out_grad, Conjugated(ops, out));
}

// The gradient of the natural logarithm: g / x. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void LogGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad != nullptr) *x_grad = ops.divide(out_grad, Conjugated(ops, x));
}

// The gradient of the square root from its result: g / (2 out). Differentiable
// again.
template <typename Ops, typename V = typename Ops::Value>
void SqrtGrad(Ops& ops, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V half = Times(ops, out_grad, 0.5);
  *x_grad = ops.divide(half, Conjugated(ops, out));
}

// The gradient of 1 / sqrt(x) from its result: -g out^3 / 2. Differentiable
// again.
template <typename Ops, typename V = typename Ops::Value>
void RsqrtGrad(Ops& ops, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  // Half first: the whole cube may overflow.
  const V half = Times(ops, out, -0.5);
  *x_grad = ops.multiply(out_grad, ops.multiply(ops.square(out), half));
}

// The gradient of x * x: 2 g x. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void SquareGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V twice = Times(ops, out_grad, 2);
  *x_grad = ops.multiply(twice, Conjugated(ops, x));
}

// The gradient of x^y for a number y: g y x^(y - 1); zero for y = 0, whatever
// x. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void PowGrad(Ops& ops, const V& x, const V& out_grad, AttrArg<const Scalar&> y,
             V* x_grad) {
  if (x_grad == nullptr) return;
  if (!y.known()) {
    const V power = ops.full(IntArray(), y, ops.dtype(x));
    const V zero = FullLike(ops, power, 0);
    const V one = FullLike(ops, power, 1);
    const V slope =
        ops.multiply(ops.elementwise_pow(x, ops.subtract(power, one)), power);
    const V kept = ops.where(ops.equal(power, zero), zero, slope);
    *x_grad = ops.multiply(out_grad, Conjugated(ops, kept));
    return;
  }
  const auto power = y.value().template to<std::complex<double>>();
  if (power == 0.0) {
    *x_grad = FullLike(ops, x, 0);
    return;
  }
  const Scalar less =
      power.imag() == 0 ? Scalar(power.real() - 1) : Scalar(power - 1.0);
  const V slope = ops.scale(ops.pow(x, less), y, Scalar(0.0), true);
  *x_grad = ops.multiply(out_grad, Conjugated(ops, slope));
}

// The gradient of log2: g / (x ln 2). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void Log2Grad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  constexpr double kLn2 = 0.69314718055994530942;
  const V scaled = Times(ops, x, kLn2);
  *x_grad = ops.divide(out_grad, Conjugated(ops, scaled));
}

// The gradient of log10: g / (x ln 10). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void Log10Grad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  constexpr double kLn10 = 2.30258509299404568402;
  const V scaled = Times(ops, x, kLn10);
  *x_grad = ops.divide(out_grad, Conjugated(ops, scaled));
}

// The gradient of log1p: g / (1 + x). Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void Log1pGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V sum = Linear(ops, x, 1, 1);
  *x_grad = ops.divide(out_grad, Conjugated(ops, sum));
}

// The gradient of expm1: g exp(x), of which the result out has nothing left
// below -17. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void Expm1InputGrad(Ops& ops, const V& x, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  *x_grad = ops.multiply(out_grad, Conjugated(ops, ops.exp(x)));
}

// The gradient of expm1 from its result: g out + g. Differentiable again.
template <typename Ops, typename V = typename Ops::Value>
void Expm1Grad(Ops& ops, const V& out, const V& out_grad, V* x_grad) {
  if (x_grad == nullptr) return;
  const V product = ops.multiply(out_grad, Conjugated(ops, out));
  *x_grad = ops.add(product, out_grad);
}

}  // namespace switchyard::phi::composite

#endif  // SWITCHYARD_PHI_COMPOSITE_EXPONENTIAL_H_
