// SPDX-License-Identifier: Apache-2.0
// A contiguous tensor as lines along one axis, for softmax and other kernels
// that compute each line apart from the others.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_SIMD_AXIS_SLICES_H_
#define SWITCHYARD_PHI_KERNELS_CPU_SIMD_AXIS_SLICES_H_

#include <cstdint>

#include "framework/base/checked_math.h"
#include "framework/types/shape.h"

namespace switchyard::phi::kernels::cpu {

// [outer, extent, inner] elements, row-major; a line is [o, :, i].
struct AxisSlices {
  int64_t outer = 1;
  int64_t extent = 1;
  int64_t inner = 1;

  // `axis` in [-rank, rank); a scalar is one line of one element.
  static AxisSlices Along(const Shape& shape, int64_t axis) {
    if (shape.rank() == 0) return {};
    const int along = static_cast<int>(axis < 0 ? axis + shape.rank() : axis);
    AxisSlices lines{shape.numel(0, along), shape.extent(along),
                     shape.numel(along + 1, shape.rank())};
    // If the number of lines leaves int64, the tensor has no elements.
    if (!CheckedMultiply(lines.outer, lines.inner)) lines.outer = 0;
    return lines;
  }
};

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_SIMD_AXIS_SLICES_H_
