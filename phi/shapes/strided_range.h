// SPDX-License-Identifier: Apache-2.0
// StridedRange: the positions of an axis that a strided slice takes.
#ifndef SWITCHYARD_PHI_SHAPES_STRIDED_RANGE_H_
#define SWITCHYARD_PHI_SHAPES_STRIDED_RANGE_H_

#include <algorithm>
#include <cstdint>

namespace switchyard::phi {

// The positions first, first + step, ..., `count` of them.
struct StridedRange {
  int64_t first = 0;
  int64_t step = 1;
  int64_t count = 0;

  // Those from `start` up to `end`, not included, in steps of `step`, on an
  // axis of `extent`. Negative positions count from the end; what lies beyond
  // the axis is cut. A step of 0 takes none.
  static StridedRange Of(int64_t start, int64_t end, int64_t step,
                         int64_t extent);
};

inline StridedRange StridedRange::Of(int64_t start, int64_t end, int64_t step,
                                     int64_t extent) {
  // A longer step takes one position as well, and differences fit.
  constexpr int64_t kLongest = int64_t{1} << 62;
  step = std::clamp(step, -kLongest, kLongest);
  // Going backwards, the range may end before position 0.
  const int64_t lowest = step < 0 ? -1 : 0;
  const int64_t highest = step < 0 ? extent - 1 : extent;
  const auto clamp = [&](int64_t position) {
    if (position < 0) position = std::max(position, -extent - 1) + extent;
    return std::clamp(position, lowest, std::max(lowest, highest));
  };
  const int64_t first = clamp(start), last = clamp(end);
  const int64_t distance = step < 0 ? first - last : last - first;
  if (distance <= 0 || step == 0) return {0, 1, 0};
  const int64_t length = step < 0 ? -step : step;
  return {first, step, (distance - 1) / length + 1};
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_SHAPES_STRIDED_RANGE_H_
