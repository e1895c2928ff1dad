// SPDX-License-Identifier: Apache-2.0
// A contiguous tensor as lines along one axis: what softmax and its kin work
// on, one line apart from the others.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_LINES_H_
#define SWITCHYARD_PHI_KERNELS_CPU_LINES_H_

#include <cstdint>

#include "framework/types/shape.h"

namespace switchyard::phi::kernels {

// [outer, extent, inner] elements, row-major; a line is [o, :, i].
struct LineShape {
  int64_t outer = 1;
  int64_t extent = 1;
  int64_t inner = 1;

  // `axis` in [-rank, rank); a scalar is one line of one element.
  static LineShape Along(const Shape& shape, int64_t axis) {
    LineShape lines;
    if (shape.rank() == 0) return lines;
    if (axis < 0) axis += shape.rank();
    for (int i = 0; i < shape.rank(); ++i) {
      int64_t& part = i < axis    ? lines.outer
                      : i == axis ? lines.extent
                                  : lines.inner;
      part *= shape.extent(i);
    }
    return lines;
  }
};

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_CPU_LINES_H_
