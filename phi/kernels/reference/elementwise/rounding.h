// SPDX-License-Identifier: Apache-2.0
// Reference kernels: rounding to integers.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_ROUNDING_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_ROUNDING_H_

#include <cmath>

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

// v without what is after the point; integers are themselves.
template <typename V>
V TowardZero(V v) {
  if constexpr (std::is_floating_point_v<V>) return std::trunc(v);
  return v;
}

SY_FORMULA_1(Floor, Wide, v, std::floor(v))
SY_FORMULA_1(Ceil, Wide, v, std::ceil(v))
SY_FORMULA_1(Trunc, Own, v, TowardZero(v))

template <typename S>
inline constexpr auto kRoundSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status RoundKernel(const ReferenceContext&, const DenseTensor& x,
                         int decimals, DenseTensor* out) {
  return Unary<T, double>(x, out, [=](double v) {
    if (decimals == 0) return std::round(v);
    const double factor = std::pow(10.0, std::fabs(decimals));
    if (decimals > 0) {
      const double scaled = v * factor;
      return std::isfinite(scaled) ? std::round(scaled) / factor : v;
    }
    const double whole = std::round(v / factor);
    return whole == 0 ? whole : whole * factor;
  });
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_ROUNDING_H_
