// SPDX-License-Identifier: Apache-2.0
// linear_quantized on the CPU: the weight is read as it is, so that a product
// of few rows takes as long as its bytes.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_LINALG_LINEAR_QUANTIZED_H_
#define SWITCHYARD_PHI_KERNELS_CPU_LINALG_LINEAR_QUANTIZED_H_

#include <algorithm>
#include <cstdint>

#include "framework/base/checked_math.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/device/cpu/parallel.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/cpu/linalg/quantized_rows.h"
#include "phi/kernels/cpu/simd/workspace.h"

namespace switchyard::phi::kernels::cpu {

template <typename S>
inline constexpr auto kLinearQuantizedSpec = KernelSpec<S>().Input(
    S::kWeight, OneOf(DataTypeSet(DataType::kInt8, DataType::kUInt8)));
template <typename T>
absl::Status LinearQuantizedKernel(const CpuContext& context,
                                   const DenseTensor& x,
                                   const DenseTensor& weight,
                                   const DenseTensor& scale,
                                   const DenseTensor* bias, int bits, int group,
                                   DenseTensor* out) {
  constexpr int64_t kProducts = 1 << 18;  // Of a thread's share, or more.
  constexpr int64_t kColumns = 8;
  const int64_t k = x.extent(x.rank() - 1);
  const int64_t m = x.shape().numel(0, x.rank() - 1);
  const bool packed = bits == 4;
  QuantizedRows product = {
      x.data<T>(),
      static_cast<const uint8_t*>(weight.raw_data()),
      scale.data<T>(),
      bias == nullptr ? nullptr : bias->data<T>(),
      out->mutable_data<T>(),
      m,
      weight.extent(0),
      weight.extent(1),
      scale.extent(1),
      group == 0 ? weight.extent(1) : (packed ? group / 2 : group),
      packed};
  Workspace<T> apart;
  if (packed) {
    const auto numbers = CheckedMultiply(m, 2 * product.bytes);
    if (!numbers) {
      return absl::ResourceExhaustedError(
          "memory: workspace must have fewer than 2^63 bytes");
    }
    SY_ASSIGN_OR_RETURN(apart,
                        Workspace<T>::Make(context.allocator(), *numbers));
    for (int64_t i = 0; i < m; ++i) {
      T* const even = apart.data() + i * 2 * product.bytes;
      T* const odd = even + product.bytes;
      const T* const row = product.x + i * k;
      for (int64_t j = 0; j < k; ++j) (j % 2 == 0 ? even : odd)[j / 2] = row[j];
      if (k % 2 != 0) odd[product.bytes - 1] = 0;
    }
    product.x = apart.data();
  }
  const int64_t rows =
      kProducts / std::max<int64_t>(1, m * std::min(k, kProducts));
  ParallelFor(0, product.n, std::max(kColumns, rows / kColumns * kColumns),
              [&](int64_t begin, int64_t end) {
                MultiplyQuantizedRows(product, begin, end);
              });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_LINALG_LINEAR_QUANTIZED_H_
