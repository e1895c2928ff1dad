// SPDX-License-Identifier: Apache-2.0
// The reference kernel of linear_quantized, in double: number by number.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_LINALG_LINEAR_QUANTIZED_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_LINALG_LINEAR_QUANTIZED_H_

#include <cstdint>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kLinearQuantizedSpec = KernelSpec<S>().AllStrided().Input(
    S::kWeight,
    WithAnyStrides(OneOf(DataTypeSet(DataType::kInt8, DataType::kUInt8))));
template <typename T>
absl::Status LinearQuantizedKernel(const ReferenceContext&,
                                   const DenseTensor& x,
                                   const DenseTensor& weight,
                                   const DenseTensor& scale,
                                   const DenseTensor* bias, int bits, int group,
                                   DenseTensor* out) {
  const int64_t k = x.extent(x.rank() - 1), n = weight.extent(0);
  const int64_t bytes = weight.extent(1), groups = scale.extent(1);
  const auto number = [&](int64_t row, int64_t column) -> double {
    if (bits == 8) return At<int8_t>(weight, row * bytes + column);
    const int byte = At<uint8_t>(weight, row * bytes + column / 2);
    return (column % 2 == 0 ? byte % 16 : byte / 16) - 8;
  };
  for (int64_t i = 0; i < out->numel(); ++i) {
    const int64_t row = i % n;
    double sum = bias == nullptr ? 0 : static_cast<double>(At<T>(*bias, row));
    for (int64_t j = 0; j < k; ++j) {
      const int64_t part = group == 0 ? 0 : j / group;
      sum += static_cast<double>(At<T>(x, i / n * k + j)) * number(row, j) *
             static_cast<double>(At<T>(scale, row * groups + part));
    }
    out->mutable_data<T>()[i] = static_cast<T>(sum);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_LINALG_LINEAR_QUANTIZED_H_
