// SPDX-License-Identifier: Apache-2.0
// The reference kernel of quantize_dequantize, in the dtype itself where that
// is float or double: in a wider one a number may be nearer to another step.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_QUANTISATION_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_QUANTISATION_H_

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elementwise/elementwise.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kQuantizeDequantizeSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status QuantizeDequantizeKernel(const ReferenceContext&,
                                      const DenseTensor& x,
                                      const DenseTensor& scale, int bit_length,
                                      int round_type, DenseTensor* out) {
  using V = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const V largest = static_cast<V>(std::ldexp(1.0, bit_length - 1) - 1);
  const V size = static_cast<V>(1 / (std::ldexp(1.0, bit_length - 1) - 1));
  return Binary<T, V>(x, scale, out, [=](V v, V s) -> V {
    constexpr V kTiny = static_cast<V>(1e-6);
    if (std::isnan(v)) return v;
    const V inverse = V(1) / (s <= kTiny ? s + kTiny : s);
    const V factor = inverse * largest;
    const V unit = s * size;
    if (round_type == 0) {
      // The mode of rounding to the even neighbour is C++'s own.
      const V steps = std::nearbyint(v * factor);
      return std::min(std::max(steps, -largest - 1), largest) * unit;
    }
    return std::round(std::max(std::min(v, s), -s) * factor) * unit;
  });
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_ELEMENTWISE_QUANTISATION_H_
