// SPDX-License-Identifier: Apache-2.0
// Reference kernels: gelu and its gradient.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_GELU_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_GELU_H_

#include <algorithm>
#include <cmath>

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

// The distribution function and the density of the normal distribution.
inline double NormalDistribution(double x) {
  return std::erfc(-x / std::sqrt(2.0)) / 2;
}

inline double NormalDensity(double x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * M_PI);
}

// tanh(sqrt(2 / pi) (x + 0.044715 x^3)) and its derivative.
inline double GeluTanh(double x) {
  return std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x));
}

inline double GeluTanhSlope(double x) {
  const double t = GeluTanh(x);
  return (1 - t * t) * std::sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x * x);
}

template <typename S>
inline constexpr auto kGeluSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status GeluKernel(const ReferenceContext&, const DenseTensor& x,
                        bool approximate, DenseTensor* out) {
  return Unary<T, double>(x, out, [=](double v) {
    if (std::isinf(v)) return v > 0 ? v : 0.0;
    return approximate ? v / 2 * (1 + GeluTanh(v)) : v * NormalDistribution(v);
  });
}

template <typename S>
inline constexpr auto kGeluGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status GeluGradKernel(const ReferenceContext&, const DenseTensor& x,
                            const DenseTensor& out_grad, bool approximate,
                            DenseTensor* x_grad) {
  return Binary<T, double>(x, out_grad, x_grad, [=](double v, double grad) {
    // Beyond it is 0 or 1, but powers overflow.
    const double z = std::min(std::max(v, -100.0), 100.0);
    const double slope = approximate
                             ? (1 + GeluTanh(z)) / 2 + z / 2 * GeluTanhSlope(z)
                             : NormalDistribution(z) + z * NormalDensity(z);
    return grad * slope;
  });
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_GELU_H_
