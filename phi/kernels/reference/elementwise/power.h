// SPDX-License-Identifier: Apache-2.0
// Reference kernels: powers and roots.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_POWER_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_POWER_H_

#include <cmath>
#include <complex>

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

// x to the power y; integers factor by factor, modulo 2^64.
template <typename V>
V Power(V x, V y) {
  if constexpr (std::is_floating_point_v<V>) {
    return std::pow(x, y);
  } else if constexpr (kIsComplex<V>) {
    if (y == V(0)) return 1;
    using Long = std::complex<long double>;
    return static_cast<V>(std::exp(Long(y) * std::log(Long(x))));
  } else {
    // A negative power is 1 / x^-y, which rounds to 0 except for x = 1 and -1.
    if constexpr (std::is_signed_v<V>) {
      if (y < 0) return x == 1 || x == V(-1) ? Power<V>(x, -(y % 2)) : V(0);
    }
    if (y == 0) return 1;
    const auto half = static_cast<uint64_t>(Power<V>(x, y / 2));
    const uint64_t odd = y % 2 != 0 ? static_cast<uint64_t>(x) : 1;
    return static_cast<V>(half * half * odd);
  }
}

SY_FORMULA_2(ElementwisePow, Own, a, b, Power(a, b))
SY_FORMULA_1(Sqrt, Wide, v, std::sqrt(v))
SY_FORMULA_1(Rsqrt, Wide, v, 1 / std::sqrt(v))
SY_FORMULA_1(Square, Wide, v, (v * v))

template <typename S>
inline constexpr auto kPowSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status PowKernel(const ReferenceContext&, const DenseTensor& x,
                       const Scalar& y, DenseTensor* out) {
  using V = std::conditional_t<kIsComplex<T>, WideFloat<T>, Signed<T>>;
  const auto exponent = static_cast<V>(y.to<Computed<T>>());
  return Unary<T, V>(x, out, [=](V v) { return Power<V>(v, exponent); });
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_POWER_H_
