// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/data_movement/arrangement.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string>

#include "phi/infermeta/checks.h"
#include "phi/infermeta/data_movement/manipulation.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/shapes/strided_range.h"

namespace switchyard::phi {
namespace {

absl::Status CheckNewRank(std::string_view argument, int rank) {
  if (rank <= kMaxRank) return absl::OkStatus();
  return ArgumentError(
      argument,
      "such that the result has " + std::to_string(kMaxRank) + " axes at most",
      std::to_string(rank));
}

// Position `axis` of a new axis in a shape of `rank` axes.
absl::StatusOr<int> NewAxis(int64_t axis, int rank) {
  if (axis < -rank - 1 || axis > rank) {
    return RangeError(
        "axis",
        "in [" + std::to_string(-rank - 1) + ", " + std::to_string(rank) + "]",
        std::to_string(axis));
  }
  return static_cast<int>(axis < 0 ? axis + rank + 1 : axis);
}

Shape WithNewAxis(const Shape& shape, int axis, Dim extent) {
  Shape result;
  for (int i = 0; i < axis; ++i) result.push_back(shape[i]);
  result.push_back(extent);
  for (int i = axis; i < shape.rank(); ++i) result.push_back(shape[i]);
  return result;
}

// How long diagonal number `offset` of a matrix is.
Dim DiagonalLength(Dim rows, Dim columns, int offset) {
  if (!rows.known() || !columns.known()) return Dim::Unknown();
  const int64_t from = std::max<int64_t>(0, -int64_t{offset});
  const int64_t to = std::max<int64_t>(0, offset);
  return std::max<int64_t>(0,
                           std::min(rows.value() - from, columns.value() - to));
}

}  // namespace

absl::StatusOr<Shape> WithoutAxes(const Shape& shape,
                                  absl::Span<const int64_t> axes) {
  std::array<bool, kMaxRank> dropped = {};
  for (const int64_t given : axes) {
    SY_ASSIGN_OR_RETURN(const int axis,
                        NormalizeAxis("decrease_axis", given, shape.rank()));
    if (!MayEqual(shape[axis], Dim(1))) {
      return ArgumentError(
          "decrease_axis", "axes of which one element is left",
          ToString(shape[axis]) + " elements of axis " + std::to_string(given));
    }
    dropped[axis] = true;
  }
  Shape kept;
  for (int i = 0; i < shape.rank(); ++i) {
    if (!dropped[i]) kept.push_back(shape[i]);
  }
  return kept;
}

absl::Status FlattenInferMeta(const TensorSpec& x, int start_axis,
                              int stop_axis, TensorSpec* out) {
  const int rank = x.shape.rank();
  SY_ASSIGN_OR_RETURN(const int start, NormalizeAxis("start_axis", start_axis,
                                                     rank, /*scalar_ok=*/true));
  SY_ASSIGN_OR_RETURN(const int stop, NormalizeAxis("stop_axis", stop_axis,
                                                    rank, /*scalar_ok=*/true));
  if (start > stop) {
    return ArgumentError("stop_axis", "start_axis or a later axis",
                         std::to_string(stop_axis) + " for start_axis " +
                             std::to_string(start_axis));
  }
  if (rank == 0) return SetOutput(out, x.dtype, Shape({1}));
  Shape shape;
  for (int i = 0; i < start; ++i) shape.push_back(x.shape[i]);
  SY_ASSIGN_OR_RETURN(const Dim joined,
                      Product(x.shape.dims().subspan(start, stop - start + 1)));
  shape.push_back(joined);
  for (int i = stop + 1; i < rank; ++i) shape.push_back(x.shape[i]);
  return SetOutput(out, x.dtype, shape);
}

absl::Status SqueezeInferMeta(const TensorSpec& x, AttrValues axis,
                              TensorSpec* out) {
  std::array<bool, kMaxRank> asked = {};
  if (axis.empty()) asked.fill(true);
  for (size_t k = 0; k < axis.size(); ++k) {
    if (!axis[k].known()) continue;
    SY_ASSIGN_OR_RETURN(const int i,
                        NormalizeAxis("axis", axis[k].value(), x.shape.rank(),
                                      /*scalar_ok=*/true));
    asked[i] = true;
  }
  if (!axis.known()) {
    const auto rank = static_cast<size_t>(x.shape.rank());
    if (axis.size() > rank) {
      return ArgumentError("axis",
                           "of at most " + std::to_string(rank) + " axes",
                           std::to_string(axis.size()));
    }
    return SetOutput(out, x.dtype,
                     UnknownShape(static_cast<int>(rank - axis.size())));
  }
  Shape shape;
  for (int i = 0; i < x.shape.rank(); ++i) {
    if (asked[i] && !x.shape[i].known() && !axis.empty()) continue;
    if (!asked[i] || x.shape[i] != Dim(1)) shape.push_back(x.shape[i]);
  }
  return SetOutput(out, x.dtype, shape);
}

absl::Status UnsqueezeInferMeta(const TensorSpec& x, AttrValues axis,
                                TensorSpec* out) {
  const size_t rank = x.shape.rank() + axis.size();
  SY_RETURN_IF_ERROR(
      CheckNewRank("axis", static_cast<int>(std::min<size_t>(rank, 1000))));
  Shape shape = x.shape;
  for (size_t i = 0; i < axis.size(); ++i) {
    int at = 0;
    if (axis[i].known()) {
      SY_ASSIGN_OR_RETURN(at, NewAxis(axis[i].value(), shape.rank()));
    }
    shape = WithNewAxis(shape, at, 1);
  }
  if (!axis.known()) shape = UnknownShape(shape.rank());
  return SetOutput(out, x.dtype, shape);
}

absl::Status StackInferMeta(MetaList x, int axis, TensorSpec* out) {
  if (x.empty()) return ArgumentError("x", "at least one tensor", "none");
  Shape shape = x[0].shape;
  SY_ASSIGN_OR_RETURN(const int at, NewAxis(axis, shape.rank()));
  SY_RETURN_IF_ERROR(CheckNewRank("x", shape.rank() + 1));
  for (size_t k = 1; k < x.size(); ++k) {
    const TensorSpec& part = x[k];
    SY_RETURN_IF_ERROR(CheckDtype("x", part, x[0].dtype));
    SY_RETURN_IF_ERROR(CheckShape("x", part, shape));
    for (int i = 0; i < shape.rank(); ++i) {
      shape[i] = MoreKnown(shape[i], part.shape[i]);
    }
  }
  return SetOutput(out, x[0].dtype,
                   WithNewAxis(shape, at, Dim(static_cast<int64_t>(x.size()))));
}

absl::Status TileInferMeta(const TensorSpec& x, AttrValues repeat_times,
                           TensorSpec* out) {
  const int times = static_cast<int>(std::min<size_t>(repeat_times.size(), 99));
  const int rank = std::max(x.shape.rank(), times);
  SY_RETURN_IF_ERROR(CheckNewRank("repeat_times", rank));
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    const int own = i - (rank - x.shape.rank());
    const int repeat = i - (rank - times);
    const AttrValue count = repeat < 0 ? AttrValue(1) : repeat_times[repeat];
    if (count.known() && count.value() < 0) {
      return ArgumentError("repeat_times", "without negative entries",
                           ToString(count));
    }
    SY_ASSIGN_OR_RETURN(const Dim extent,
                        Multiply(own < 0 ? Dim(1) : x.shape[own], count.dim()));
    shape.push_back(extent);
  }
  return SetOutput(out, x.dtype, shape);
}

absl::Status PadInferMeta(const TensorSpec& x, AttrValues paddings,
                          const Scalar& pad_value, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckHolds("pad_value", pad_value, x.dtype));
  const size_t expected = 2 * static_cast<size_t>(x.shape.rank());
  if (paddings.size() != expected) {
    return ArgumentError("paddings",
                         std::to_string(expected) + " numbers, two for an axis",
                         std::to_string(paddings.size()));
  }
  Shape shape = x.shape;
  for (size_t i = 0; i < paddings.size(); ++i) {
    if (paddings[i].known() && paddings[i].value() < 0) {
      return ArgumentError("paddings", "without negative numbers",
                           ToString(paddings[i]));
    }
    Dim& extent = shape[static_cast<int>(i / 2)];
    SY_ASSIGN_OR_RETURN(extent, Add(extent, paddings[i].dim()));
  }
  return SetOutput(out, x.dtype, shape);
}

absl::Status FlipInferMeta(const TensorSpec& x, absl::Span<const int> axis,
                           TensorSpec* out) {
  std::array<bool, kMaxRank> seen = {};
  for (const int a : axis) {
    SY_ASSIGN_OR_RETURN(const int i, NormalizeAxis("axis", a, x.shape.rank()));
    if (seen[i]) {
      return ArgumentError("axis", "without repetitions",
                           std::to_string(a) + " a second time");
    }
    seen[i] = true;
  }
  return SetOutput(out, x.dtype, x.shape);
}

absl::Status ShapeInferMeta(const TensorSpec& input, TensorSpec* out) {
  return SetOutput(out, DataType::kInt64, Shape({input.shape.rank()}));
}

absl::Status ExtentInferMeta(const TensorSpec& input, int axis,
                             TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("input", input, 1));
  SY_RETURN_IF_ERROR(NormalizeAxis("axis", axis, input.shape.rank()).status());
  return SetOutput(out, DataType::kInt64, Shape());
}

absl::Status StridedSliceInferMeta(const TensorSpec& x,
                                   absl::Span<const int64_t> axes,
                                   AttrValues starts, AttrValues ends,
                                   AttrValues strides,
                                   absl::Span<const int64_t> decrease_axis,
                                   TensorSpec* out) {
  const size_t count = axes.size();
  if (starts.size() != count || ends.size() != count ||
      strides.size() != count) {
    return ArgumentError("starts, ends and strides",
                         "as many as axes (" + std::to_string(count) + ")",
                         std::to_string(starts.size()) + ", " +
                             std::to_string(ends.size()) + " and " +
                             std::to_string(strides.size()));
  }
  Shape shape = x.shape;
  std::array<bool, kMaxRank> seen = {};
  for (size_t i = 0; i < count; ++i) {
    SY_ASSIGN_OR_RETURN(const int axis,
                        NormalizeAxis("axes", axes[i], x.shape.rank()));
    if (seen[axis]) {
      return ArgumentError("axes", "without repetitions",
                           std::to_string(axes[i]) + " a second time");
    }
    seen[axis] = true;
    if (strides[i] == AttrValue(0)) {
      return ArgumentError("strides", "other than 0", ToString(strides));
    }
    const Dim extent = x.shape[axis];
    shape[axis] = Dim::Unknown();
    if (!extent.known() || !starts[i].known() || !ends[i].known() ||
        !strides[i].known()) {
      continue;
    }
    shape[axis] = StridedRange::Of(starts[i].value(), ends[i].value(),
                                   strides[i].value(), extent.value())
                      .count;
  }
  SY_ASSIGN_OR_RETURN(const Shape kept, WithoutAxes(shape, decrease_axis));
  return SetOutput(out, x.dtype, kept);
}

absl::Status RollInferMeta(const TensorSpec& x, AttrValues shifts,
                           absl::Span<const int64_t> axis, TensorSpec* out) {
  const size_t count = axis.empty() ? 1 : axis.size();
  if (shifts.size() != count) {
    return ArgumentError("shifts", "of " + std::to_string(count) + " numbers",
                         std::to_string(shifts.size()));
  }
  for (const int64_t a : axis) {
    SY_RETURN_IF_ERROR(NormalizeAxis("axis", a, x.shape.rank()).status());
  }
  return SetOutput(out, x.dtype, x.shape);
}

absl::Status DiagonalInferMeta(const TensorSpec& x, int offset, int axis1,
                               int axis2, TensorSpec* out) {
  const int rank = x.shape.rank();
  SY_RETURN_IF_ERROR(CheckRankAtLeast("x", x, 2));
  SY_ASSIGN_OR_RETURN(const int rows, NormalizeAxis("axis1", axis1, rank));
  SY_ASSIGN_OR_RETURN(const int columns, NormalizeAxis("axis2", axis2, rank));
  if (rows == columns) {
    return ArgumentError("axis2", "another axis than axis1",
                         std::to_string(axis2));
  }
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    if (i != rows && i != columns) shape.push_back(x.shape[i]);
  }
  shape.push_back(DiagonalLength(x.shape[rows], x.shape[columns], offset));
  return SetOutput(out, x.dtype, shape);
}

absl::Status DiagInferMeta(const TensorSpec& x, int offset,
                           double /*padding_value*/, TensorSpec* out) {
  const int rank = x.shape.rank();
  if (rank == 2) {
    return SetOutput(out, x.dtype,
                     Shape({DiagonalLength(x.shape[0], x.shape[1], offset)}));
  }
  if (rank != 1) {
    return ArgumentError("x", "of rank 1 or 2", ToString(x.shape));
  }
  SY_ASSIGN_OR_RETURN(const Dim extent,
                      Add(x.shape[0], std::abs(int64_t{offset})));
  return SetOutput(out, x.dtype, Shape({extent, extent}));
}

}  // namespace switchyard::phi
