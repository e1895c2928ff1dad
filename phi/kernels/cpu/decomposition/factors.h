// SPDX-License-Identifier: Apache-2.0
// The kernels of what the factors of matrices stand for, on the CPU.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DECOMPOSITION_FACTORS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DECOMPOSITION_FACTORS_H_

#include <cstdint>
#include <numeric>
#include <string>
#include <utility>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::cpu {

template <typename S>
inline constexpr auto kPivotPermutationSpec =
    KernelSpec<S>().Output(S::kOut, Fixed(DataType::kInt64));
template <typename T>
absl::Status PivotPermutationKernel(const CpuContext&,
                                    const DenseTensor& pivots, int64_t rows,
                                    DenseTensor* out) {
  const T* swaps = pivots.data<T>();
  for (int64_t i = 0; i < pivots.numel(); ++i) {
    if (swaps[i] >= 1 && swaps[i] <= rows) continue;
    return RangeError("pivots", "in [1, " + std::to_string(rows) + "]",
                      std::to_string(swaps[i]));
  }
  const int64_t count = pivots.extent(pivots.rank() - 1);
  const int64_t matrices = pivots.shape().numel(0, pivots.rank() - 1);
  auto* row = out->mutable_data<int64_t>();
  for (int64_t matrix = 0; matrix < matrices; ++matrix) {
    std::iota(row, row + rows, int64_t{0});
    for (int64_t i = 0; i < count; ++i) std::swap(row[i], row[*swaps++ - 1]);
    row += rows;
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DECOMPOSITION_FACTORS_H_
