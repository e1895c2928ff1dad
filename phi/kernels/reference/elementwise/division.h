// SPDX-License-Identifier: Apache-2.0
// Reference kernels: division with a remainder.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_DIVISION_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_DIVISION_H_

#include <cmath>

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

// out = f(x, y) for a division of x by y: an integer y must not be 0.
template <typename T, typename F>
absl::Status WithDivisor(const DenseTensor& x, const DenseTensor& y,
                         DenseTensor* out, F f) {
  for (int64_t i = 0; std::is_integral_v<T> && i < out->numel(); ++i) {
    if (BroadcastAt<T>(y, out->shape(), i) == T(0)) {
      return ArgumentError("y", "nonzero", "0");
    }
  }
  return Binary<T, Signed<T>>(x, y, out, f);
}

template <typename S>
inline constexpr auto kFloorDivideSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status FloorDivideKernel(const ReferenceContext&, const DenseTensor& x,
                               const DenseTensor& y, DenseTensor* out) {
  return WithDivisor<T>(x, y, out, [](auto a, auto b) {
    if constexpr (std::is_same_v<decltype(a), double>) {
      // Exact for what a float holds, unlike floor(a / b).
      const double rest = std::fmod(a, b);
      if (b == 0 || std::isinf(a)) return b == 0 ? a / b : rest;
      const bool below = rest != 0 && (rest < 0) != (b < 0);
      const double quotient = std::round((a - rest) / b) - below;
      return quotient == 0 ? std::copysign(0.0, a / b) : quotient;
    } else if constexpr (std::is_same_v<decltype(a), uint64_t>) {
      return a / b;
    } else {
      if (b == -1) return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
      return a / b - (a % b != 0 && (a < 0) != (b < 0));
    }
  });
}

template <typename S>
inline constexpr auto kRemainderSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status RemainderKernel(const ReferenceContext&, const DenseTensor& x,
                             const DenseTensor& y, DenseTensor* out) {
  return WithDivisor<T>(x, y, out, [](auto a, auto b) {
    if constexpr (std::is_same_v<decltype(a), double>) {
      const double rest = std::fmod(a, b);
      if (rest == 0) return std::signbit(b) ? -0.0 : 0.0;
      return (rest < 0) != (b < 0) ? rest + b : rest;
    } else if constexpr (std::is_same_v<decltype(a), uint64_t>) {
      return a - a / b * b;
    } else {
      if (b == -1) return int64_t{0};
      const int64_t rest = a % b;
      return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
  });
}

template <typename S>
inline constexpr auto kFmodSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status FmodKernel(const ReferenceContext&, const DenseTensor& x,
                        const DenseTensor& y, DenseTensor* out) {
  return WithDivisor<T>(x, y, out, [](auto a, auto b) {
    if constexpr (std::is_same_v<decltype(a), double>) {
      return std::fmod(a, b);
    } else if constexpr (std::is_same_v<decltype(a), uint64_t>) {
      return a - a / b * b;
    } else {
      return b == -1 ? int64_t{0} : a % b;
    }
  });
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_DIVISION_H_
