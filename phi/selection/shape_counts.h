// SPDX-License-Identifier: Apache-2.0
// Counts of elements that conditions ask for. Private to phi/selection.
#ifndef SWITCHYARD_PHI_SELECTION_SHAPE_COUNTS_H_
#define SWITCHYARD_PHI_SELECTION_SHAPE_COUNTS_H_

#include <cstdint>
#include <limits>
#include <optional>

#include "framework/base/checked_math.h"
#include "framework/types/shape.h"

namespace switchyard::phi::selection {

inline int64_t SaturatingMultiply(int64_t a, int64_t b) {
  return CheckedMultiply(a, b).value_or(std::numeric_limits<int64_t>::max());
}

// The number of elements of the axes from `first` on, at most int64's greatest;
// nullopt while a Dim is unknown, unless a known extent of 0 settles it.
inline std::optional<int64_t> GetCount(const Shape& shape, int first = 0) {
  int64_t count = 1;
  bool known = true;
  for (int axis = first; axis < shape.rank(); ++axis) {
    const Dim dim = shape[axis];
    if (!dim.known()) {
      known = false;
    } else {
      count = SaturatingMultiply(count, dim.value());
    }
  }
  if (known || count == 0) return count;
  return std::nullopt;
}

// The axis as one of [0, rank); -1 if it is outside.
inline int FindAxis(int64_t axis, int rank) {
  const int64_t from_front = axis < 0 ? axis + rank : axis;
  return from_front >= 0 && from_front < rank ? static_cast<int>(from_front)
                                              : -1;
}

// The product of all extents of one tensor times the last of another.
inline std::optional<int64_t> WorkOf(const Shape& shape,
                                     const Shape& by_last_of) {
  const std::optional<int64_t> count = GetCount(shape);
  const Dim last =
      by_last_of.rank() == 0 ? Dim(1) : by_last_of[by_last_of.rank() - 1];
  if (count == 0 || (last.known() && last.value() == 0)) return 0;
  if (!count.has_value() || !last.known()) return std::nullopt;
  return SaturatingMultiply(*count, last.value());
}

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_SHAPE_COUNTS_H_
