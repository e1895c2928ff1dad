// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/views/view.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "framework/base/checked_math.h"
#include "phi/shapes/strided_range.h"

namespace switchyard::phi::kernels {

void ViewReshaped(const DenseTensor& x, DenseTensor* out) {
  const Shape shape = out->shape();
  out->SetView(x, shape, ContiguousStrides(shape), x.offset());
}

// Axes of x that lie in one another without a gap are one run of elements at
// one distance; axes of `out` must not reach over the end of a run.
absl::Status ViewByStrides(const DenseTensor& x, DenseTensor* out) {
  const Shape shape = out->shape();
  Strides strides = ContiguousStrides(shape);
  if (shape.numel() == 0) {
    out->SetView(x, shape, strides, x.offset());
    return absl::OkStatus();
  }
  int to = shape.rank() - 1;
  int64_t run = 1;  // Elements.
  int64_t step = 0;
  for (int axis = x.rank() - 1; axis >= 0; --axis) {
    if (x.extent(axis) == 1) continue;
    if (run == 1) step = x.strides()[axis];
    run *= x.extent(axis);
    int next = axis - 1;
    while (next >= 0 && x.extent(next) == 1) --next;
    if (next >= 0 && x.strides()[next] == run * step) continue;
    for (int64_t done = 1; to >= 0 && done < run; --to) {
      strides[to] = done * step;
      done *= shape.extent(to);
      if (done > run) {
        return ArgumentError(
            "x",
            absl::StrCat("of strides that allow a view of shape ",
                         ToString(shape)),
            ToString(x));
      }
    }
    run = 1;
  }
  out->SetView(x, shape, strides, x.offset());
  return absl::OkStatus();
}

absl::Status ViewAsDtype(const DenseTensor& x, DenseTensor* out) {
  const Shape shape = out->shape();
  const DataType dtype = out->dtype();
  const auto from = static_cast<int64_t>(ElementSize(x.dtype()));
  const auto to = static_cast<int64_t>(ElementSize(dtype));
  TensorMeta meta = x.meta();
  meta.dtype = dtype;
  meta.shape = shape;
  meta.lod_levels = 0;
  bool fits = x.numel() == 0 || x.offset() * from % to == 0;
  meta.offset = x.offset() * from / to;
  if (x.numel() == 0) {
    meta.offset = 0;
    meta.strides = ContiguousStrides(shape);
  } else if (from != to) {
    const int last = shape.rank() - 1;
    fits = fits && (x.strides()[last] == 1 || x.extent(last) == 1);
    for (int axis = 0; axis < last; ++axis) {
      const int64_t bytes = x.strides()[axis] * from;
      fits = fits && (bytes % to == 0 || x.extent(axis) == 1);
      meta.strides[axis] = bytes / to;
    }
    meta.strides[last] = 1;
  }
  if (!fits) {
    return ArgumentError("x",
                         absl::StrCat("of strides and an offset that allow a "
                                      "view as ",
                                      std::string(Name(dtype))),
                         ToString(x));
  }
  meta.contiguous = IsContiguous(shape, meta.strides);
  *out = DenseTensor(std::move(meta), x.buffer());
  return absl::OkStatus();
}

void ViewTransposed(const DenseTensor& x, absl::Span<const int> perm,
                    DenseTensor* out) {
  const Shape shape = out->shape();
  Strides strides = {};
  for (int i = 0; i < shape.rank(); ++i) {
    strides[i] = x.strides()[perm[i] < 0 ? perm[i] + x.rank() : perm[i]];
  }
  out->SetView(x, shape, strides, x.offset());
}

void ViewExpanded(const DenseTensor& x, DenseTensor* out) {
  const Shape shape = out->shape();
  Strides strides = {};  // Stride 0 repeats the one element of an axis.
  const int added = shape.rank() - x.rank();
  for (int i = added; i < shape.rank(); ++i) {
    const bool repeated = x.extent(i - added) == 1 && shape.extent(i) != 1;
    strides[i] = repeated ? 0 : x.strides()[i - added];
  }
  out->SetView(x, shape, strides, x.offset());
}

void ViewUnitAxes(const DenseTensor& x, DenseTensor* out) {
  const Shape shape = out->shape();
  Strides strides = {};
  int from = x.rank() - 1;
  int64_t gap = 1;  // What an axis of extent 1 would have in row-major order.
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = gap;
    if (shape.extent(i) == 1) continue;
    while (x.extent(from) == 1) --from;
    strides[i] = x.strides()[from--];
    gap = CheckedMultiply(strides[i], shape.extent(i)).value_or(0);
  }
  out->SetView(x, shape, strides, x.offset());
}

void ViewNarrowed(const DenseTensor& x, int axis, int64_t start,
                  DenseTensor* out) {
  const Shape shape = out->shape();
  // The strides of an empty tensor mean nothing.
  const int64_t skipped = x.numel() == 0 ? 0 : start * x.strides()[axis];
  out->SetView(x, shape, x.strides(), x.offset() + skipped);
}

int64_t ClampStart(int64_t start, int64_t extent) {
  if (start < 0) start = start < -extent ? 0 : start + extent;
  return std::min(start, extent);
}

absl::StatusOr<Strides> StridesWithout(const DenseTensor& tensor,
                                       absl::Span<const int64_t> dropped) {
  if (dropped.empty()) return tensor.strides();
  std::array<bool, kMaxRank> gone = {};
  for (const int64_t given : dropped) {
    SY_ASSIGN_OR_RETURN(const int axis,
                        NormalizeAxis("decrease_axis", given, tensor.rank()));
    gone[axis] = true;
  }
  Strides strides = {};
  int kept = 0;
  for (int axis = 0; axis < tensor.rank(); ++axis) {
    if (!gone[axis]) strides[kept++] = tensor.strides()[axis];
  }
  return strides;
}

absl::Status ViewSliced(const DenseTensor& input,
                        absl::Span<const int64_t> axes, IntArray starts,
                        absl::Span<const int64_t> dropped, DenseTensor* out) {
  const Shape shape = out->shape();
  SY_ASSIGN_OR_RETURN(const Strides strides, StridesWithout(input, dropped));
  int64_t offset = input.offset();
  for (size_t i = 0; i < axes.size(); ++i) {
    SY_ASSIGN_OR_RETURN(const int axis,
                        NormalizeAxis("axes", axes[i], input.rank()));
    if (input.numel() == 0) continue;
    offset += ClampStart(starts[i], input.extent(axis)) * input.strides()[axis];
  }
  out->SetView(input, shape, strides, offset);
  return absl::OkStatus();
}

absl::Status ViewStepped(const DenseTensor& x, absl::Span<const int64_t> axes,
                         IntArray starts, IntArray ends, IntArray steps,
                         DenseTensor* out) {
  const Shape shape = out->shape();
  Strides strides = x.strides();
  int64_t offset = x.offset();
  for (size_t i = 0; i < axes.size(); ++i) {
    SY_ASSIGN_OR_RETURN(const int axis,
                        NormalizeAxis("axes", axes[i], x.rank()));
    const StridedRange range =
        StridedRange::Of(starts[i], ends[i], steps[i], x.extent(axis));
    // Nothing after a single position is reached; a step may be any number.
    if (range.count > 1) strides[axis] *= range.step;
    if (x.numel() > 0 && range.count > 0) {
      offset += range.first * x.strides()[axis];
    }
  }
  out->SetView(x, shape, strides, offset);
  return absl::OkStatus();
}

absl::Status ViewSplit(const DenseTensor& x, int axis, DenseOutputs out) {
  SY_ASSIGN_OR_RETURN(axis, NormalizeAxis("axis", axis, x.rank()));
  int64_t start = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] == nullptr) {
      return absl::InternalError("out: every piece must be wanted");
    }
    ViewNarrowed(x, axis, start, out[i]);
    start += out[i]->extent(axis);
  }
  return absl::OkStatus();
}

void ViewDiagonal(const DenseTensor& x, int offset, int axis1, int axis2,
                  DenseTensor* out) {
  const Shape shape = out->shape();
  if (shape.numel() == 0) {
    out->SetView(x, shape, ContiguousStrides(shape), x.offset());
    return;
  }
  const int rows = axis1 < 0 ? axis1 + x.rank() : axis1;
  const int columns = axis2 < 0 ? axis2 + x.rank() : axis2;
  const Strides& own = x.strides();
  Strides strides = {};
  int to = 0;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (axis != rows && axis != columns) strides[to++] = own[axis];
  }
  strides[to] = own[rows] + own[columns];
  const int64_t first =
      offset < 0 ? -int64_t{offset} * own[rows] : offset * own[columns];
  out->SetView(x, shape, strides, x.offset() + first);
}

}  // namespace switchyard::phi::kernels
