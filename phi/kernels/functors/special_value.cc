// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/functors/special_value.h"

#include <cmath>
#include <limits>

#include "unsupported/Eigen/SpecialFunctions"

namespace switchyard::phi::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// exp(|x|) scaled, of which exp(|x|) alone may overflow.
double Unscaled(double scaled, double x) {
  if (std::isinf(x)) return std::copysign(kInfinity, scaled);
  const double half = std::exp(std::fabs(x) / 2);
  return scaled * half * half;
}

}  // namespace

double InverseErf(double x) {
  const double a = std::fabs(x);
  if (!(a < 1)) return a == 1 ? std::copysign(kInfinity, x) : kNan;
  constexpr double kSqrtHalf = 0.70710678118654752440;
  constexpr double kTwoOverRootOfPi = 1.12837916709551257390;
  const double rest = 1 - a;
  // A quantile of the normal distribution, whose error is absolute; near 0 the
  // first term of the series.
  double y = a < 1e-4 ? a / kTwoOverRootOfPi
                      : -kSqrtHalf * Eigen::numext::ndtri(rest / 2);
  // A step of Newton's method, by the complement where erf is near 1.
  const double slope = kTwoOverRootOfPi * std::exp(-y * y);
  y += (a < 0.5 ? a - std::erf(y) : std::erfc(y) - rest) / slope;
  return std::copysign(y, x);
}

double LogOdds(double x) {
  // Near 1/2 the quotient loses what 2 x - 1 has exactly.
  if (x > 0.25 && x < 0.75) return 2 * std::atanh(2 * x - 1);
  return std::log(x / (1 - x));
}

double LogGamma(double x) {
  int sign;
  return lgamma_r(x, &sign);  // lgamma writes a global variable.
}

double Digamma(double x) {
  // The pole of which the side is known; at the others there is no limit.
  if (x == 0) return -1 / x;
  return Eigen::numext::digamma(x);
}

double Trigamma(double x) {
  if (x <= 0) {
    const double whole = std::round(x);
    if (std::isinf(x)) return std::numeric_limits<double>::quiet_NaN();
    if (whole == x) return kInfinity;
    constexpr double kPi = 3.14159265358979323846;
    const double sine = std::sin(kPi * (x - whole));
    return (kPi / sine) * (kPi / sine) - Trigamma(1 - x);
  }
  // Two terms of the asymptotic series, where Eigen's powers underflow.
  if (x > 1e8) return 1 / x + 0.5 / x / x;
  return Eigen::numext::zeta(2.0, x);
}

double BesselI0(double x) { return Unscaled(BesselI0e(x), x); }
double BesselI0e(double x) { return Eigen::numext::bessel_i0e(x); }
double BesselI1(double x) { return Unscaled(BesselI1e(x), x); }
double BesselI1e(double x) { return Eigen::numext::bessel_i1e(x); }

double BesselI0eSlope(double x) {
  const double size = std::fabs(x);
  // At 0 the slopes of both sides have no middle but 0.
  if (x == 0 || std::isinf(x)) return 0;
  double falling = BesselI0e(size) - BesselI1e(size);
  if (size > 1e4) {
    // The asymptotic series of 1 - I1 / I0: the difference has lost its digits.
    const double z = 1 / size;
    const double ratio = z * (1.0 / 2 + z * (1.0 / 8 + z * (1.0 / 8)));
    falling = BesselI0e(size) * ratio;
  }
  return x < 0 ? falling : -falling;
}

double BesselI1eSlope(double x) {
  const double size = std::fabs(x);
  if (size == 0) return 0.5;
  // The difference of I0e and I1e is the other slope.
  return -BesselI0eSlope(size) - BesselI1e(size) / size;
}

}  // namespace switchyard::phi::kernels
