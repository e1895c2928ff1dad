// SPDX-License-Identifier: Apache-2.0
// The reference kernel of set_value: for each element of the slice the one that
// broadcasting puts there.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_SET_VALUE_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_SET_VALUE_H_

#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/core/signatures/legacy_set_value.args.gen.h"
#include "phi/kernels/reference/data_movement/arrangement.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// For each axis of the slice with the added ones, in order, the axis of the
// tensor; -1 for an added one.
inline std::vector<int> SliceAxes(int rank,
                                  absl::Span<const int64_t> decrease_axes,
                                  absl::Span<const int64_t> none_axes) {
  std::vector<int> axes;
  const auto add = [&](int64_t first, int64_t last) {
    for (const int64_t at : none_axes) {
      if (at >= first && at < last) axes.push_back(-1);
    }
  };
  for (int axis = 0; axis < rank; ++axis) {
    add(axis, axis + 1);
    bool dropped = false;
    for (const int64_t at : decrease_axes) {
      dropped = dropped || (at + rank) % rank == axis;
    }
    if (!dropped) axes.push_back(axis);
  }
  add(rank, int64_t{1} << 62);
  return axes;
}

template <typename S>
inline constexpr auto kSetValueSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status SetValueKernel(const ReferenceContext&, const SetValueArgs& args) {
  const int rank = args.x.rank();
  const Taken taken = TakenPositions(args.x.shape(), args.axes, args.starts,
                                     args.ends, args.steps);
  std::vector<int64_t> extents;  // Of the value.
  if (args.value_tensor != nullptr) {
    for (int i = 0; i < args.value_tensor->rank(); ++i) {
      extents.push_back(args.value_tensor->extent(i));
    }
  } else {
    extents.assign(args.shape.begin(), args.shape.end());
  }
  const std::vector<int> slice =
      SliceAxes(rank, args.decrease_axes, args.none_axes);
  const auto lead =
      static_cast<int64_t>(slice.size()) - static_cast<int64_t>(extents.size());
  for (int64_t i = 0; i < args.x.numel(); ++i) {
    args.out->mutable_data<T>()[i] = At<T>(args.x, i);
  }
  ForEachTaken(taken, rank, [&](const Index& index, int64_t number) {
    Shape counts;
    for (int axis = 0; axis < rank; ++axis) {
      counts.push_back(static_cast<int64_t>(taken[axis].size()));
    }
    const Index place = Unravel(counts, number);
    int64_t at = 0;  // The row-major position in the value.
    for (size_t i = 0; i < extents.size(); ++i) {
      const int64_t own = static_cast<int64_t>(i) + lead;
      const int axis = own < 0 ? -1 : slice[static_cast<size_t>(own)];
      const int64_t position = axis < 0 || extents[i] == 1 ? 0 : place[axis];
      at = at * extents[i] + position;
    }
    args.out->mutable_data<T>()[Ravel(args.x.shape(), index)] =
        args.value_tensor != nullptr
            ? At<T>(*args.value_tensor, at)
            : args.values[static_cast<size_t>(at)].to<T>();
  });
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_SET_VALUE_H_
