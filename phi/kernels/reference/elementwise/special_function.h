// SPDX-License-Identifier: Apache-2.0
// Reference kernels: special functions, from their series and recurrences in
// long double.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_SPECIAL_FUNCTION_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_SPECIAL_FUNCTION_H_

#include <cmath>
#include <limits>

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

inline constexpr long double kPi = 3.14159265358979323846264338327950288L;

// The root of erf(y) = v by Newton's method, which approaches it from one side:
// erf is concave above 0, and so is the logarithm of its complement.
inline long double InverseErf(long double v) {
  const long double a = fabsl(v);
  using Limits = std::numeric_limits<long double>;
  if (a == 1) return v * Limits::infinity();
  if (!(a < 1)) return Limits::quiet_NaN();
  const long double factor = 2 / sqrtl(kPi), rest = 1 - a;
  long double y = a / factor;
  for (int i = 0; i < 100; ++i) {
    const long double slope = factor * expl(-y * y);
    const long double complement = erfcl(y);
    const long double step = a < 0.5L
                                 ? (a - erfl(y)) / slope
                                 : complement * logl(complement / rest) / slope;
    y += step;
    if (fabsl(step) <= 1e-18L * y) break;
  }
  return copysignl(y, v);
}

// The logarithm of |gamma(v)|, without the sign that C's library leaves in a
// global variable.
inline long double LogGamma(long double v) {
  int sign;
  return lgammal_r(v, &sign);
}

// v and what follows it by ones up to 20, then the asymptotic series in
// Bernoulli's numbers; below 0 by reflection.
inline long double Digamma(long double v) {
  if (v == 0) return -1 / v;
  if (v <= 0) {
    const long double whole = roundl(v);
    if (whole == v) return std::numeric_limits<long double>::quiet_NaN();
    return Digamma(1 - v) - kPi / tanl(kPi * (v - whole));
  }
  long double sum = 0;
  for (; v < 20; ++v) sum -= 1 / v;
  const long double z = 1 / (v * v);
  const long double series =
      z *
      (1 / 12.L -
       z * (1 / 120.L -
            z * (1 / 252.L -
                 z * (1 / 240.L - z * (1 / 132.L - z * (691 / 32760.L -
                                                        z * (1 / 12.L)))))));
  return sum + logl(v) - 0.5L / v - series;
}

// The derivative of Digamma in the same way.
inline long double Trigamma(long double v) {
  if (v <= 0) {
    const long double whole = roundl(v);
    if (std::isinf(v)) return std::numeric_limits<long double>::quiet_NaN();
    if (whole == v) return std::numeric_limits<long double>::infinity();
    const long double sine = sinl(kPi * (v - whole));
    return kPi * kPi / (sine * sine) - Trigamma(1 - v);
  }
  long double sum = 0;
  for (; v < 20; ++v) sum += 1 / (v * v);
  const long double z = 1 / (v * v);
  const long double series =
      1 / 6.L -
      z * (1 / 30.L -
           z * (1 / 42.L -
                z * (1 / 30.L - z * (5 / 66.L - z * (691 / 2730.L)))));
  return sum + 1 / v + z / 2 + series * z / v;
}

// exp(-|v|) times the modified Bessel function of the first kind: by its power
// series, whose terms have one sign, or by the asymptotic one.
inline long double ScaledBessel(int order, long double v) {
  const long double a = fabsl(v);
  long double term, sum;
  if (a < 40) {
    term = order == 0 ? 1 : a / 2;
    sum = term;
    for (int k = 1; k < 200 && term > 1e-21L * sum; ++k) {
      term *= a * a / 4 / k / (k + order);
      sum += term;
    }
    sum *= expl(-a);
  } else {
    term = 1 / sqrtl(2 * kPi * a);
    sum = term;
    for (int k = 1; k < 60; ++k) {
      const long double odd = 2 * k - 1;
      term *= (odd * odd - 4 * order) / (8 * k * a);
      sum += term;
    }
  }
  return order == 1 && v < 0 ? -sum : sum;
}

inline long double Bessel(int order, long double v) {
  if (std::isinf(v)) return order == 0 ? fabsl(v) : v;
  return ScaledBessel(order, v) * expl(fabsl(v));
}

SY_FORMULA_1(Erfinv, Wide, v, static_cast<double>(InverseErf(v)))
SY_FORMULA_1(Lgamma, Wide, v, static_cast<double>(LogGamma(v)))
SY_FORMULA_1(Digamma, Wide, v, static_cast<double>(Digamma(v)))
SY_FORMULA_1(I0, Wide, v, static_cast<double>(Bessel(0, v)))
SY_FORMULA_1(I0e, Wide, v, static_cast<double>(ScaledBessel(0, v)))
SY_FORMULA_1(I1, Wide, v, static_cast<double>(Bessel(1, v)))
SY_FORMULA_1(I1e, Wide, v, static_cast<double>(ScaledBessel(1, v)))

template <typename S>
inline constexpr auto kDigammaGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status DigammaGradKernel(const ReferenceContext&, const DenseTensor& x,
                               const DenseTensor& out_grad,
                               DenseTensor* x_grad) {
  return Binary<T, double>(x, out_grad, x_grad, [](double v, double g) {
    return static_cast<double>(Trigamma(v) * g);
  });
}

// f(v) g of a kernel that gets its result too.
template <typename T, typename F>
absl::Status SlopeTimes(const DenseTensor& x, const DenseTensor& out_grad,
                        DenseTensor* x_grad, F f) {
  return Binary<T, double>(x, out_grad, x_grad, [=](double v, double g) {
    return static_cast<double>(f(v) * g);
  });
}

template <typename S>
inline constexpr auto kI0eGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status I0eGradKernel(const ReferenceContext&, const DenseTensor& x,
                           const DenseTensor&, const DenseTensor& out_grad,
                           DenseTensor* x_grad) {
  return SlopeTimes<T>(x, out_grad, x_grad, [](long double v) {
    const long double side = v < 0 ? -1 : 1;
    return ScaledBessel(1, v) - side * ScaledBessel(0, v);
  });
}

template <typename S>
inline constexpr auto kI1eGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status I1eGradKernel(const ReferenceContext&, const DenseTensor& x,
                           const DenseTensor&, const DenseTensor& out_grad,
                           DenseTensor* x_grad) {
  return SlopeTimes<T>(x, out_grad, x_grad, [](long double v) {
    if (v == 0) return 0.5L;
    const long double side = v < 0 ? -1 : 1, one = ScaledBessel(1, v);
    return ScaledBessel(0, v) - side * one - one / v;
  });
}

template <typename S>
inline constexpr auto kLogitSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status LogitKernel(const ReferenceContext&, const DenseTensor& x,
                         double eps, DenseTensor* out) {
  return Unary<T, double>(x, out, [=](double v) {
    if (eps > 0) v = v < eps ? eps : v > 1 - eps ? 1 - eps : v;
    const long double p = v;
    // The quotient less 1 is exact where it is small.
    return static_cast<double>(p < 0.25L ? logl(p / (1 - p))
                                         : log1pl((2 * p - 1) / (1 - p)));
  });
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_SPECIAL_FUNCTION_H_
