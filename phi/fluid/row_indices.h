// SPDX-License-Identifier: Apache-2.0
// CheckRowIndices: what the legacy kernels of lookup_table ask of their
// indices.
#ifndef SWITCHYARD_PHI_FLUID_ROW_INDICES_H_
#define SWITCHYARD_PHI_FLUID_ROW_INDICES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "framework/base/status.h"

namespace switchyard::phi::fluid {

// `padding_idx` that names no row: there is no padding.
inline constexpr int64_t kNoPadding = -1;

// RangeError("ids", ...) unless each index is in [0, height), or is the padding
// index.
absl::Status CheckRowIndices(absl::Span<const int64_t> ids, int64_t height,
                             int64_t padding_idx);

}  // namespace switchyard::phi::fluid

#endif  // SWITCHYARD_PHI_FLUID_ROW_INDICES_H_
