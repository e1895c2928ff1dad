// SPDX-License-Identifier: Apache-2.0
// Reference kernels: signs, magnitudes and bounds.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_MAGNITUDE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_MAGNITUDE_H_

#include <cmath>
#include <complex>

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

// |v|; the least integer stays itself.
template <typename V>
V Magnitude(V v) {
  if constexpr (std::is_floating_point_v<V>) return std::fabs(v);
  if constexpr (std::is_unsigned_v<V>) return v;
  return v < V(0) ? static_cast<V>(0 - static_cast<uint64_t>(v)) : v;
}

// a != a: NaN wins from either side.
SY_FORMULA_2(Maximum, Own, a, b, a != a || b < a ? a : b)
SY_FORMULA_2(Minimum, Own, a, b, a != a || a < b ? a : b)

template <typename S>
inline constexpr auto kAbsSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, AnyDtype());
// Complex numbers give their distance from 0, a real number.
template <typename T>
absl::Status AbsKernel(const ReferenceContext&, const DenseTensor& x,
                       DenseTensor* out) {
  if constexpr (kIsComplex<T>) {
    return Convert<T, typename T::value_type>(
        x, out, [](std::complex<double> v) { return std::abs(v); });
  } else {
    return Unary<T, Own<T>>(x, out, [](Own<T> v) { return Magnitude(v); });
  }
}

template <typename V>
V SignOf(V v) {
  if constexpr (std::is_unsigned_v<V>) return v > V(0) ? V(1) : V(0);
  return v > V(0) ? V(1) : v < V(0) ? V(-1) : v;
}
inline std::complex<double> SignOf(std::complex<double> v) {
  return v == 0.0 ? v : v / std::abs(v);
}
SY_FORMULA_1(Sign, Own, v, SignOf(v))

template <typename S>
inline constexpr auto kClipSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ClipKernel(const ReferenceContext&, const DenseTensor& x,
                        const Scalar& min, const Scalar& max,
                        DenseTensor* out) {
  using V = Signed<T>;
  const auto limit = [](const Scalar& number) {
    // Below every unsigned number.
    if (std::is_unsigned_v<V> && number.ToDouble() < 0) return V(0);
    return static_cast<V>(number.to<Computed<T>>());
  };
  const V low = limit(min), high = limit(max);
  return Unary<T, V>(x, out, [=](V v) {
    return v < low ? low : v > high ? high : v;
  });
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_MAGNITUDE_H_
