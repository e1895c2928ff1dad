// SPDX-License-Identifier: Apache-2.0
// Reference kernels: activations that have a derivative everywhere.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_SMOOTH_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_SMOOTH_H_

#include <cmath>
#include <complex>

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

// share(v) times v, which is 0 at -infinity, where the share is.
template <typename F>
double Part(double v, F share) {
  return std::isinf(v) && v < 0 ? 0.0 : v * share(v);
}

inline double SoftsignOf(double v) {
  return std::isinf(v) ? std::copysign(1.0, v) : v / (1 + std::fabs(v));
}
inline std::complex<double> SoftsignOf(std::complex<double> v) {
  return v / (1 + std::abs(v));
}
SY_FORMULA_1(Softsign, Wide, v, SoftsignOf(v))
SY_FORMULA_1(Swish, Wide, v,
             Part(v, [](double x) { return 1 / (1 + std::exp(-x)); }))

inline double LogSigmoidOf(double v) {
  return v < 0 ? v - std::log1p(std::exp(v)) : -std::log1p(std::exp(-v));
}
inline std::complex<double> LogSigmoidOf(std::complex<double> v) {
  return -std::log(1.0 + std::exp(-v));
}
SY_FORMULA_1(Logsigmoid, Wide, v, LogSigmoidOf(v))

// v - tanh(v): where the difference cancels, by the first terms of its series.
inline double WithoutTanh(double v) {
  if (std::fabs(v) > 0.02) return static_cast<double>(v - std::tanh(v + 0.0L));
  const double z = v * v;
  return v * z *
         (1.0 / 3 -
          z * (2.0 / 15 -
               z * (17.0 / 315 - z * (62.0 / 2835 - z * 1382 / 155925))));
}
SY_FORMULA_1(TanhShrink, Wide, v, WithoutTanh(v))

template <typename S>
inline constexpr auto kMishSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status MishKernel(const ReferenceContext&, const DenseTensor& x,
                        double threshold, DenseTensor* out) {
  return Unary<T, double>(x, out, [=](double v) {
    return Part(v, [=](double x) {
      return std::tanh(x > threshold ? x : std::log1p(std::exp(x)));
    });
  });
}

template <typename S>
inline constexpr auto kStanhSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status StanhKernel(const ReferenceContext&, const DenseTensor& x,
                         double scale_a, double scale_b, DenseTensor* out) {
  using V = WideFloat<T>;
  return Unary<T, V>(x, out,
                     [=](V v) { return scale_b * std::tanh(scale_a * v); });
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_SMOOTH_H_
