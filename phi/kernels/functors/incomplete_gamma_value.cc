// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/functors/incomplete_gamma_value.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

namespace switchyard::phi::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = 3.14159265358979323846;

// Values of a: from the one on, the integral; below the other, the expansion at
// 0, where 1 - lower has lost the digits of a.
constexpr double kLarge = 50, kSmall = 0.1;

// Coefficients of 1 / a, 1 / a^3, ... in log gamma(a) less Stirling's formula.
constexpr double kStirling[] = {1.0 / 12,    -1.0 / 360, 1.0 / 1260,
                                -1.0 / 1680, 1.0 / 1188, -691.0 / 360360};

// Coefficients of a, a^2, ... in log gamma(1 + a): (-1)^k zeta(k) / k from the
// second on.
constexpr double kLogGamma[] = {
    -0.5772156649015329,  0.8224670334241132,   -0.4006856343865315,
    0.2705808084277846,   -0.207385551028674,   0.16955717699740822,
    -0.14404989676884614, 0.12550966952474304,  -0.11133426586956469,
    0.10009945751278179,  -0.09095401714582904, 0.083353840546109,
    -0.0769325164113522,  0.07143294629536134,  -0.06666870588242046,
    0.06250095514121304,  -0.05882397865868458};

double LogGamma(double x) {
  int sign;
  return lgamma_r(x, &sign);  // lgamma writes a global variable.
}

// The lower function divided by x^a exp(-x) / gamma(a + 1).
double Series(double a, double x) {
  double term = 1, sum = 1;
  for (double n = a + 1; term > sum * 1e-17; ++n) {
    term *= x / n;
    sum += term;
  }
  return sum;
}

// The upper function divided by x^a exp(-x) / gamma(a), for x above a + 1, by
// Lentz's recurrence of the continued fraction.
double Fraction(double a, double x) {
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a;
  double c = 1 / kTiny, d = 1 / b, found = d;
  for (int i = 1; i < 1000; ++i) {
    const double term = -i * (i - a);
    b += 2;
    d = term * d + b;
    c = b + term / c;
    d = 1 / (d == 0 ? kTiny : d);
    if (c == 0) c = kTiny;
    const double step = d * c;
    found *= step;
    if (std::fabs(step - 1) <= 1e-16) break;
  }
  return found;
}

// The upper function near a = 0.
double SmallUpper(double a, double x) {
  double log_gamma = 0;
  for (size_t i = std::size(kLogGamma); i > 0; --i) {
    log_gamma = (log_gamma + kLogGamma[i - 1]) * a;
  }
  const double log = a * std::log(x) - log_gamma;
  double rest = 0, term = 1;
  for (int n = 1; n < 25; ++n) {
    term *= -x / n;
    rest += term / (a + n);
  }
  return -std::expm1(log) - std::exp(log) * a * rest;
}

IncompleteGamma Ordinary(double a, double x) {
  const double factor = std::exp(a * std::log(x) - x - LogGamma(a + 1));
  if (x >= a + 1) {
    const double upper = factor * a * Fraction(a, x);
    return {1 - upper, upper};
  }
  const double lower = factor * Series(a, x);
  return {lower, a < kSmall ? SmallUpper(a, x) : 1 - lower};
}

// log(1 + u) - u, without a difference where u is small.
double LogLess(double u) {
  if (std::fabs(u) >= 0.2) return std::log1p(u) - u;
  const double r = u / (2 + u), y = r * r;
  double sum = 0;
  for (int i = 8; i >= 0; --i) sum = sum * y + 1.0 / (2 * i + 3);
  return r * (2 * y * sum - u);
}

// The nodes and weights of Gauss and Legendre's rule on [-1, 1].
struct LegendreRule {
  static constexpr int kSize = 128;
  std::array<double, kSize> nodes, weights;

  LegendreRule() {
    for (int i = 0; i < kSize; ++i) {
      double x = std::cos(kPi * (i + 0.75) / (kSize + 0.5)), slope = 1;
      for (int round = 0; round < 10; ++round) {
        double before = 1, value = x;
        for (int k = 2; k <= kSize; ++k) {
          const double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
          before = value;
          value = next;
        }
        slope = kSize * (x * value - before) / (x * x - 1);
        x -= value / slope;
      }
      nodes[i] = x;
      weights[i] = 2 / ((1 - x * x) * slope * slope);
    }
  }
};

// Integrates in u = t / a - 1, from x to where nothing is left.
IncompleteGamma Integral(double a, double x) {
  static const LegendreRule rule;
  const double first = (x - a) / a, width = 1 / std::sqrt(a);
  const bool right = first > 0;
  const double last =
      right ? std::max(first + 9 * width, 14 * width)
            : std::max(std::min(first - 7 * width, -10 * width), -1.0);
  const double half = (last - first) / 2;
  double sum = 0;
  for (int i = 0; i < LegendreRule::kSize; ++i) {
    const double u = first + half * (rule.nodes[i] + 1);
    sum += rule.weights[i] * std::exp(a * LogLess(u)) / std::max(1 + u, 1e-300);
  }
  double rest = 0, power = 1 / a;
  for (const double coefficient : kStirling) {
    rest += coefficient * power;
    power /= a * a;
  }
  const double part =
      std::fabs(half) * sum * std::sqrt(a / (2 * kPi)) * std::exp(-rest);
  return right ? IncompleteGamma{1 - part, part}
               : IncompleteGamma{part, 1 - part};
}

}  // namespace

IncompleteGamma IncompleteGammaOf(double a, double x) {
  if (!(a >= 0) || !(x >= 0)) return {kNan, kNan};
  if (a == 0 || x == kInfinity) {
    if (x == 0 || a == kInfinity) return {kNan, kNan};
    return {1, 0};
  }
  if (x == 0 || a == kInfinity) return {0, 1};
  return a < kLarge ? Ordinary(a, x) : Integral(a, x);
}

}  // namespace switchyard::phi::kernels
