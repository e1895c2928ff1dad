// SPDX-License-Identifier: Apache-2.0
// ForEachRow: a tensor of any strides handed over row by row, beside the rows
// of a contiguous output of the same shape and another dtype. Copies within one
// dtype are framework/device/cpu/strided_copy.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_STRIDED_ROWS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_STRIDED_ROWS_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "framework/tensor/dense_tensor.h"

namespace switchyard::phi::kernels::cpu {

// `count` elements from `from`, `stride` elements apart, to adjacent ones.
using RowFunction = void (*)(const void* from, int64_t stride, void* to,
                             int64_t count);

// Calls `row` for pieces that cover x and `out`, in any order and on any thread
// of the team.
void ForEachRow(
    const DenseTensor& x,
    absl::FunctionRef<void(const void*, int64_t, void*, int64_t)> row,
    DenseTensor* out);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_STRIDED_ROWS_H_
