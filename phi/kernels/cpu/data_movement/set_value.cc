// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/data_movement/set_value.h"

#include <vector>

#include "framework/device/cpu/strided_copy.h"
#include "phi/shapes/assigned_slice.h"
#include "phi/shapes/strided_range.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// The slice of a contiguous tensor, with the axes that a value has.
struct Target {
  int64_t offset = 0;
  Shape shape;
  Strides strides;
};

absl::StatusOr<Target> TargetOf(const DenseTensor& out,
                                const AssignedSlice& slice) {
  Target all = {0, out.shape(), out.strides()};
  for (size_t i = 0; i < slice.axes.size(); ++i) {
    SY_ASSIGN_OR_RETURN(const int axis,
                        NormalizeAxis("axes", slice.axes[i], out.rank()));
    const StridedRange range = StridedRange::Of(
        slice.starts[i], slice.ends[i], slice.steps[i], out.extent(axis));
    all.offset += range.first * out.strides()[axis];
    all.shape[axis] = range.count;
    all.strides[axis] = range.count > 1 ? range.step * out.strides()[axis] : 0;
  }
  std::vector<int> decreased;
  for (const int64_t axis : slice.decrease_axes) {
    SY_ASSIGN_OR_RETURN(const int a,
                        NormalizeAxis("decrease_axes", axis, out.rank()));
    if (all.shape.extent(a) != 1) {
      return ArgumentError("decrease_axes", "axes that are sliced to extent 1",
                           std::to_string(axis));
    }
    decreased.push_back(a);
  }
  Target target;
  target.offset = all.offset;
  for (const int axis : AssignedAxes(out.rank(), decreased, slice.none_axes)) {
    const int at = target.shape.rank();
    target.shape.push_back(axis == kAddedAxis ? Dim(1) : all.shape[axis]);
    target.strides[at] = axis == kAddedAxis ? 0 : all.strides[axis];
  }
  return target;
}

// The strides of a value that is broadcast to `shape`.
absl::StatusOr<Strides> BroadcastStrides(const AssignedElements& value,
                                         const Shape& shape) {
  const int lead = shape.rank() - value.shape.rank();
  Strides strides = {};
  bool fits = true;
  for (int i = 0; i < value.shape.rank(); ++i) {
    const int64_t extent = value.shape.extent(i);
    if (i + lead < 0) {
      fits = fits && extent == 1;
    } else if (extent != 1) {
      fits = fits && extent == shape.extent(i + lead);
      strides[i + lead] = value.strides[i];
    }
  }
  if (fits) return strides;
  return ArgumentError("value_tensor",
                       "of a shape that broadcasts to " + ToString(shape),
                       ToString(value.shape));
}

}  // namespace

absl::Status AssignSlice(const DenseTensor& x, const AssignedElements& value,
                         const AssignedSlice& slice, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const Target target, TargetOf(*out, slice));
  SY_ASSIGN_OR_RETURN(const Strides strides,
                      BroadcastStrides(value, target.shape));
  const size_t size = ElementSize(out->dtype());
  if (out->numel() == 0) return absl::OkStatus();
  char* to = out->mutable_data<char>();
  if (x.raw_data() != to) {  // Else in place.
    CopyStrided(size, x.shape(), x.raw_data(), x.strides(), to, out->strides());
  }
  if (target.shape.numel() == 0) return absl::OkStatus();
  CopyStrided(size, target.shape, value.data, strides,
              to + target.offset * static_cast<int64_t>(size), target.strides);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu
