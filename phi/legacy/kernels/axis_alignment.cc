// SPDX-License-Identifier: Apache-2.0
#include "phi/legacy/kernels/axis_alignment.h"

#include "framework/base/checked_math.h"

namespace switchyard::phi::fluid {

AxisAlignment Align(const Shape& result, const Shape& operand, int axis) {
  AxisAlignment alignment;
  alignment.rank = result.rank();
  const int missing = result.rank() - operand.rank();
  const int first = axis == -1 || missing == 0 ? missing : axis;
  int64_t stride = 1;
  for (int i = result.rank() - 1; i >= 0; --i) {
    const int own = i - first;
    const bool here = own >= 0 && own < operand.rank();
    const int64_t extent = here ? operand.extent(own) : 1;
    alignment.extents[i] = result.extent(i);
    alignment.strides[i] = extent == 1 && result.extent(i) != 1 ? 0 : stride;
    // Leaves int64 only where there are no elements.
    stride = CheckedMultiply(stride, extent).value_or(0);
  }
  return alignment;
}

bool IsWhole(const AxisAlignment& alignment) {
  for (int i = 0; i < alignment.rank; ++i) {
    if (alignment.strides[i] == 0) return false;
  }
  return true;
}

void AlignedIndex::Next() {
  for (int i = alignment_.rank - 1; i >= 0; --i) {
    offset_ += alignment_.strides[i];
    if (++index_[i] < alignment_.extents[i]) return;
    offset_ -= alignment_.strides[i] * alignment_.extents[i];
    index_[i] = 0;
  }
}

}  // namespace switchyard::phi::fluid
