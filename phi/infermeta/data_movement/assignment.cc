// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/data_movement/assignment.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "framework/base/quoted.h"
#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/shapes/assigned_slice.h"
#include "phi/shapes/strided_range.h"

namespace switchyard::phi {
namespace {

// The attributes of a slice that is assigned to.
struct Assigned {
  absl::Span<const int64_t> axes;
  AttrValues starts;
  AttrValues ends;
  AttrValues steps;
  absl::Span<const int64_t> decrease_axes;
  absl::Span<const int64_t> none_axes;
};

// The shape of the slice, with all axes of x.
absl::StatusOr<Shape> SliceShape(const Shape& x, const Assigned& slice) {
  const size_t count = slice.axes.size();
  if (slice.starts.size() != count || slice.ends.size() != count ||
      slice.steps.size() != count) {
    return ArgumentError("starts, ends and steps",
                         "as many as axes (" + std::to_string(count) + ")",
                         std::to_string(slice.starts.size()) + ", " +
                             std::to_string(slice.ends.size()) + " and " +
                             std::to_string(slice.steps.size()));
  }
  Shape shape = x;
  std::array<bool, kMaxRank> seen = {};
  for (size_t i = 0; i < count; ++i) {
    SY_ASSIGN_OR_RETURN(const int axis,
                        NormalizeAxis("axes", slice.axes[i], x.rank()));
    if (seen[axis]) {
      return ArgumentError("axes", "without repetitions",
                           std::to_string(slice.axes[i]) + " a second time");
    }
    seen[axis] = true;
    if (slice.steps[i] == AttrValue(0)) {
      return ArgumentError("steps", "other than 0", ToString(slice.steps));
    }
    const bool known = x[axis].known() && slice.starts[i].known() &&
                       slice.ends[i].known() && slice.steps[i].known();
    shape[axis] =
        known ? Dim(StridedRange::Of(slice.starts[i].value(),
                                     slice.ends[i].value(),
                                     slice.steps[i].value(), x[axis].value())
                        .count)
              : Dim::Unknown();
  }
  return shape;
}

// The shape that the value is broadcast to.
absl::StatusOr<Shape> AssignedShape(const Shape& x, const Assigned& slice) {
  SY_ASSIGN_OR_RETURN(const Shape shape, SliceShape(x, slice));
  std::vector<int> decreased;
  for (const int64_t axis : slice.decrease_axes) {
    SY_ASSIGN_OR_RETURN(const int a,
                        NormalizeAxis("decrease_axes", axis, x.rank()));
    if (!MayEqual(shape[a], Dim(1))) {
      return ArgumentError("decrease_axes", "axes that are sliced to extent 1",
                           std::to_string(axis));
    }
    decreased.push_back(a);
  }
  if (!std::is_sorted(slice.none_axes.begin(), slice.none_axes.end()) ||
      (!slice.none_axes.empty() && slice.none_axes[0] < 0)) {
    return ArgumentError("none_axes", "ascending axes of 0 or more", "others");
  }
  Shape assigned;
  if (slice.none_axes.size() > static_cast<size_t>(kMaxRank)) {
    return ArgumentError("none_axes",
                         "at most " + std::to_string(kMaxRank) + " axes",
                         std::to_string(slice.none_axes.size()));
  }
  const std::vector<int> axes =
      AssignedAxes(x.rank(), decreased, slice.none_axes);
  if (axes.size() > static_cast<size_t>(kMaxRank)) {
    return ArgumentError(
        "none_axes",
        "such that the slice has " + std::to_string(kMaxRank) + " axes at most",
        std::to_string(slice.none_axes.size()));
  }
  for (const int axis : axes) {
    assigned.push_back(axis == kAddedAxis ? Dim(1) : shape[axis]);
  }
  return assigned;
}

// Checks a value of shape `value`, whose extents of 1 in front of the axes of
// `to` say nothing.
absl::Status CheckValueShape(const char* argument, const Shape& value,
                             const Shape& to) {
  int first = 0;
  while (value.rank() - first > to.rank() && MayEqual(value[first], Dim(1))) {
    ++first;
  }
  Shape own;
  for (int i = first; i < value.rank(); ++i) own.push_back(value[i]);
  if (MayBroadcastTo(own, to)) return absl::OkStatus();
  return ArgumentError(argument,
                       "of a shape that broadcasts to " + ToString(to),
                       ToString(value));
}

}  // namespace

absl::Status SetValueInferMeta(
    const TensorSpec& x, const TensorSpec* value_tensor,
    absl::Span<const int64_t> axes, AttrValues starts, AttrValues ends,
    AttrValues steps, absl::Span<const int64_t> decrease_axes,
    absl::Span<const int64_t> none_axes, absl::Span<const int64_t> shape,
    absl::Span<const Scalar> values, TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Shape assigned,
                      AssignedShape(x.shape, {axes, starts, ends, steps,
                                              decrease_axes, none_axes}));
  if (value_tensor != nullptr) {
    SY_RETURN_IF_ERROR(
        CheckValueShape("value_tensor", value_tensor->shape, assigned));
    return SetOutput(out, x.dtype, x.shape);
  }
  for (const Scalar& value : values) {
    SY_RETURN_IF_ERROR(CheckHolds("values", value, x.dtype));
  }
  SY_ASSIGN_OR_RETURN(const Shape own, ShapeFromAttribute(shape, x.dtype));
  if (own.numel() != static_cast<int64_t>(values.size())) {
    return ArgumentError("values", std::to_string(own.numel()) + " numbers",
                         std::to_string(values.size()));
  }
  SY_RETURN_IF_ERROR(CheckValueShape("shape", own, assigned));
  return SetOutput(out, x.dtype, x.shape);
}

absl::Status SetValueGradInferMeta(
    const TensorSpec* value_tensor, const TensorSpec& out_grad,
    absl::Span<const int64_t> axes, AttrValues starts, AttrValues ends,
    AttrValues steps, absl::Span<const int64_t> decrease_axes,
    absl::Span<const int64_t> none_axes, TensorSpec* x_grad,
    TensorSpec* value_tensor_grad) {
  SY_ASSIGN_OR_RETURN(
      const Shape assigned,
      AssignedShape(out_grad.shape,
                    {axes, starts, ends, steps, decrease_axes, none_axes}));
  SY_RETURN_IF_ERROR(UnchangedInferMeta(out_grad, x_grad));
  if (value_tensor == nullptr) {
    return SetOutput(value_tensor_grad, out_grad.dtype, assigned);
  }
  SY_RETURN_IF_ERROR(
      CheckValueShape("value_tensor", value_tensor->shape, assigned));
  return UnchangedInferMeta(*value_tensor, value_tensor_grad);
}

absl::Status LegacyPutAlongAxisInferMeta(
    const TensorSpec& arr, const TensorSpec& indices, const TensorSpec& values,
    int axis, std::string_view reduce, bool /*include_self*/, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckIndexDtype("indices", indices));
  const int rank = arr.shape.rank();
  SY_ASSIGN_OR_RETURN(const int a,
                      NormalizeAxis("axis", axis, rank, /*scalar_ok=*/true));
  bool fits = indices.shape.rank() == rank;
  for (int i = 0; fits && i < rank; ++i) {
    const Dim own = indices.shape[i], most = arr.shape[i];
    if (i == a || !own.known() || !most.known()) continue;
    fits = own.value() <= most.value();
  }
  if (!fits) {
    return ArgumentError("indices",
                         "of the rank of arr, with no larger extents beside "
                         "axis",
                         ToString(indices.shape));
  }
  SY_RETURN_IF_ERROR(
      CheckDtypeAndShape("values", values, arr.dtype, indices.shape));
  constexpr std::string_view kNames[] = {"assign", "add",  "mul", "multiply",
                                         "mean",   "amin", "amax"};
  if (std::find(std::begin(kNames), std::end(kNames), reduce) ==
      std::end(kNames)) {
    return ArgumentError("reduce",
                         "assign, add, mul, multiply, mean, amin or amax",
                         Quoted(reduce));
  }
  return SetOutput(out, arr.dtype, arr.shape);
}

}  // namespace switchyard::phi
