// SPDX-License-Identifier: Apache-2.0
// CheckedRowIndices: the indices of the legacy kernels of lookup_table.
#ifndef SWITCHYARD_PHI_LEGACY_KERNELS_ROW_INDICES_H_
#define SWITCHYARD_PHI_LEGACY_KERNELS_ROW_INDICES_H_

#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"

namespace switchyard::phi::fluid {

// `padding_idx` that names no row: there is no padding.
inline constexpr int64_t kNoPadding = -1;

// A copy of the int64 indices, which another thread may write while a kernel
// runs. RangeError("ids", ...) unless each is in [0, height), or is the padding
// index.
absl::StatusOr<std::vector<int64_t>> CheckedRowIndices(const DenseTensor& ids,
                                                       int64_t height,
                                                       int64_t padding_idx);

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_LEGACY_KERNELS_ROW_INDICES_H_
