// SPDX-License-Identifier: Apache-2.0
// The reference kernel of the exchanges of rows that lu makes.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_DECOMPOSITION_FACTORS_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_DECOMPOSITION_FACTORS_H_

#include <cstdint>
#include <string>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kPivotPermutationSpec =
    KernelSpec<S>().Output(S::kOut, Fixed(DataType::kInt64));
// Follows each row back through the exchanges, the last one first.
template <typename T>
absl::Status PivotPermutationKernel(const ReferenceContext&,
                                    const DenseTensor& pivots, int64_t rows,
                                    DenseTensor* out) {
  const int64_t count = pivots.extent(pivots.rank() - 1);
  const int64_t matrices = pivots.shape().numel(0, pivots.rank() - 1);
  auto* to = out->mutable_data<int64_t>();
  for (int64_t matrix = 0; matrix < matrices; ++matrix) {
    const T* const swaps = pivots.data<T>() + matrix * count;
    for (int64_t row = 0; row < rows; ++row) {
      int64_t before = row;
      for (int64_t i = count - 1; i >= 0; --i) {
        const int64_t other = static_cast<int64_t>(swaps[i]) - 1;
        if (other < 0 || other >= rows) {
          return RangeError("pivots", "in [1, " + std::to_string(rows) + "]",
                            std::to_string(swaps[i]));
        }
        if (before == i) {
          before = other;
        } else if (before == other) {
          before = i;
        }
      }
      *to++ = before;
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_DECOMPOSITION_FACTORS_H_
