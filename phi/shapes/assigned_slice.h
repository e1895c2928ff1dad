// SPDX-License-Identifier: Apache-2.0
// The axes of a part of a tensor that a value is assigned to.
#ifndef SWITCHYARD_PHI_SHAPES_ASSIGNED_SLICE_H_
#define SWITCHYARD_PHI_SHAPES_ASSIGNED_SLICE_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace switchyard::phi {

// An axis that is no axis of the tensor: of extent 1.
inline constexpr int kAddedAxis = -1;

// Which axes of a tensor of `rank` the slice has that a value is broadcast to,
// in order: all but `decreased`, and before axis none_axes[i] (after all of
// them, if there is no such axis) an added one. `decreased` has axes as
// normalized; those of `none_axes` ascend.
inline std::vector<int> AssignedAxes(int rank, absl::Span<const int> decreased,
                                     absl::Span<const int64_t> none_axes) {
  std::vector<int> axes;
  size_t added = 0;
  for (int axis = 0; axis < rank; ++axis) {
    for (; added < none_axes.size() && none_axes[added] <= axis; ++added) {
      axes.push_back(kAddedAxis);
    }
    if (std::count(decreased.begin(), decreased.end(), axis) == 0) {
      axes.push_back(axis);
    }
  }
  for (; added < none_axes.size(); ++added) axes.push_back(kAddedAxis);
  return axes;
}

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_SHAPES_ASSIGNED_SLICE_H_
