// SPDX-License-Identifier: Apache-2.0
// Reference kernels: extremes that pass over NaN, signs, steps and blends.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_EXTREME_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_EXTREME_H_

#include <cmath>

#include "phi/kernels/reference/elementwise/formula.h"

namespace switchyard::phi::kernels::reference {

// a != a: the other one where one is NaN.
SY_FORMULA_2(Fmax, Own, a, b, a != a || a < b ? b : a)
SY_FORMULA_2(Fmin, Own, a, b, a != a || b < a ? b : a)
SY_FORMULA_2(Copysign, Wide, a, b,
             std::signbit(b) ? -std::fabs(a) : std::fabs(a))
SY_FORMULA_2(Heaviside, Own, a, b, a > 0 ? 1 : a < 0 ? 0 : a == 0 ? b : a)

template <typename S>
inline constexpr auto kLerpSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status LerpKernel(const ReferenceContext&, const DenseTensor& x,
                        const DenseTensor& y, const DenseTensor& weight,
                        DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    const double a = static_cast<double>(BroadcastAt<T>(x, out->shape(), i));
    const double b = static_cast<double>(BroadcastAt<T>(y, out->shape(), i));
    const double w =
        static_cast<double>(BroadcastAt<T>(weight, out->shape(), i));
    const double sum = w == 0 ? a : w == 1 ? b : (1 - w) * a + w * b;
    out->mutable_data<T>()[i] = static_cast<T>(sum);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_EXTREME_H_
