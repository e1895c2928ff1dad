// SPDX-License-Identifier: Apache-2.0
// The windows of a pooling, as spans of elements along each axis: what is left
// of strides, padding, adaptive and global pooling for the kernels (pooling.h).
#ifndef SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOL_WINDOWS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOL_WINDOWS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "phi/shapes/window.h"

namespace switchyard::phi::kernels::cpu {

// Elements [begin, end) of x, at least one; `counted` of them and of the
// padding, for means that count it.
struct PoolSpan {
  int64_t begin, end, counted;
};

// The windows of a pooling along both axes.
struct PoolWindows {
  std::vector<PoolSpan> rows, columns;  // By position in the result.
  // Windows of one size at equal distances make up the columns.
  std::optional<WindowAxis> across;
  bool exclusive = true;
  bool tiles = false;  // Side by side, 2 x 2 elements of x each.

  // Returns the number by which a mean over a window divides.
  int64_t Count(const PoolSpan& h, const PoolSpan& w) const {
    return exclusive ? (h.end - h.begin) * (w.end - w.begin)
                     : h.counted * w.counted;
  }
};

// Makes the windows from checked attributes; `extents` are x's height and
// width.
absl::StatusOr<PoolWindows> MakeWindows(std::array<int64_t, 2> extents,
                                        absl::Span<const int64_t> kernel_size,
                                        const WindowAttrs& attrs,
                                        bool ceil_mode, bool exclusive,
                                        bool global_pooling, bool adaptive);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_POOLING_POOL_WINDOWS_H_
