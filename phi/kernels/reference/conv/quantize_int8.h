// SPDX-License-Identifier: Apache-2.0
// The reference kernel of quantize_int8.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_QUANTIZE_INT8_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_QUANTIZE_INT8_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// The integer next to x, of two the even one, from -127 to 127; 0 for NaN.
inline int8_t ToInt8(float x) {
  if (std::isnan(x)) return 0;
  const float bounded = std::min(std::max(x, -127.0f), 127.0f);
  return static_cast<int8_t>(std::nearbyint(bounded));
}

template <typename S>
inline constexpr auto kQuantizeInt8Spec =
    KernelSpec<S>().AllStrided().Output(S::kOut, Fixed(DataType::kInt8));
template <typename T>
absl::Status QuantizeInt8Kernel(const ReferenceContext&, const DenseTensor& x,
                                const DenseTensor& factor, DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    const Index index = Unravel(x.shape(), i);
    const float f =
        factor.numel() == 1 ? At<T>(factor, 0) : At<T>(factor, index[0]);
    out->mutable_data<int8_t>()[i] = ToInt8(At<T>(x, index) * f);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_CONV_QUANTIZE_INT8_H_
