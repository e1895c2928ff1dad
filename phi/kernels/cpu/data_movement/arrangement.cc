// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/data_movement/arrangement.h"

#include <array>
#include <cstring>

#include "framework/device/cpu/strided_copy.h"
#include "phi/shapes/strided_range.h"

namespace switchyard::phi::kernels::cpu {
namespace {

// A part of a tensor: where it begins, in elements, and its geometry.
struct Part {
  int64_t offset = 0;
  Shape shape;
  Strides strides;
};

absl::StatusOr<Part> PartOf(const Shape& shape, const Strides& strides,
                            const StridedSlices& slices) {
  Part part = {0, shape, strides};
  for (size_t i = 0; i < slices.axes.size(); ++i) {
    SY_ASSIGN_OR_RETURN(const int axis,
                        NormalizeAxis("axes", slices.axes[i], shape.rank()));
    const StridedRange range =
        StridedRange::Of(slices.starts[i], slices.ends[i], slices.strides[i],
                         shape.extent(axis));
    part.offset += range.first * strides[axis];
    part.shape[axis] = range.count;
    // Nothing after a single position is reached.
    part.strides[axis] = range.count > 1 ? range.step * strides[axis] : 0;
  }
  return part;
}

// The diagonals of `x`, as DiagonalInferMeta orders them, within x's memory.
absl::StatusOr<Part> DiagonalsOf(const DenseTensor& x, int offset, int axis1,
                                 int axis2, const Shape& diagonals) {
  SY_ASSIGN_OR_RETURN(const int rows, NormalizeAxis("axis1", axis1, x.rank()));
  SY_ASSIGN_OR_RETURN(const int columns,
                      NormalizeAxis("axis2", axis2, x.rank()));
  Part part;
  part.shape = diagonals;
  int at = 0;
  for (int i = 0; i < x.rank(); ++i) {
    if (i != rows && i != columns) part.strides[at++] = x.strides()[i];
  }
  part.strides[at] = x.strides()[rows] + x.strides()[columns];
  part.offset = offset < 0 ? -int64_t{offset} * x.strides()[rows]
                           : int64_t{offset} * x.strides()[columns];
  return part;
}

// Copies the elements that a geometry reaches.
void CopyPart(size_t size, const Shape& shape, const DenseTensor& from,
              int64_t from_offset, const Strides& from_strides, DenseTensor* to,
              int64_t to_offset, const Strides& to_strides) {
  if (shape.numel() == 0) return;
  const auto bytes = static_cast<int64_t>(size);
  CopyStrided(size, shape,
              static_cast<const char*>(from.raw_data()) + from_offset * bytes,
              from_strides, to->mutable_data<char>() + to_offset * bytes,
              to_strides);
}

}  // namespace

void FillZeros(DenseTensor* out) {
  if (out->numel() == 0) return;
  std::memset(out->mutable_data<char>(), 0, out->byte_size());
}

absl::Status MoveStridedSlice(const DenseTensor& x, const StridedSlices& slices,
                              DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const Part part, PartOf(x.shape(), x.strides(), slices));
  CopyPart(ElementSize(x.dtype()), part.shape, x, part.offset, part.strides,
           out, 0, ContiguousStrides(part.shape));
  return absl::OkStatus();
}

absl::Status MoveStridedSliceGrad(const DenseTensor& out_grad,
                                  const StridedSlices& slices,
                                  DenseTensor* x_grad) {
  FillZeros(x_grad);
  SY_ASSIGN_OR_RETURN(const Part part,
                      PartOf(x_grad->shape(), x_grad->strides(), slices));
  CopyPart(ElementSize(x_grad->dtype()), part.shape, out_grad, 0,
           ContiguousStrides(part.shape), x_grad, part.offset, part.strides);
  return absl::OkStatus();
}

absl::Status MoveRoll(const DenseTensor& x, IntArray shifts,
                      absl::Span<const int64_t> axis, DenseTensor* out) {
  if (x.numel() == 0) return absl::OkStatus();
  Shape shape = x.shape();
  std::array<int64_t, kMaxRank> moved = {};
  const auto move = [&](int a, int64_t shift) {
    const int64_t extent = shape.extent(a);
    moved[a] = (moved[a] + shift % extent + extent) % extent;
  };
  if (axis.empty()) {
    shape = Shape({x.numel()});
    move(0, shifts[0]);
  }
  for (size_t i = 0; i < axis.size(); ++i) {
    SY_ASSIGN_OR_RETURN(const int a, NormalizeAxis("axis", axis[i], x.rank()));
    move(a, shifts[i]);
  }
  const Strides strides = ContiguousStrides(shape);
  // Each rolled axis has two blocks; every choice of one of each is copied.
  for (uint32_t choice = 0; choice < (1u << shape.rank()); ++choice) {
    Shape block = shape;
    int64_t from = 0, to = 0;
    for (int a = 0; a < shape.rank(); ++a) {
      const bool wraps = (choice >> a & 1) != 0;
      const int64_t kept = shape.extent(a) - moved[a];
      block[a] = wraps ? moved[a] : kept;
      from += wraps ? kept * strides[a] : 0;
      to += wraps ? 0 : moved[a] * strides[a];
    }
    CopyPart(ElementSize(x.dtype()), block, x, from, strides, out, to, strides);
  }
  return absl::OkStatus();
}

absl::Status MoveDiagonal(const DenseTensor& x, int offset, int axis1,
                          int axis2, DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const Part part,
                      DiagonalsOf(x, offset, axis1, axis2, out->shape()));
  CopyPart(ElementSize(x.dtype()), part.shape, x, part.offset, part.strides,
           out, 0, out->strides());
  return absl::OkStatus();
}

absl::Status PutDiagonal(const DenseTensor& x, int offset, int axis1, int axis2,
                         DenseTensor* out) {
  SY_ASSIGN_OR_RETURN(const Part part,
                      DiagonalsOf(*out, offset, axis1, axis2, x.shape()));
  CopyPart(ElementSize(x.dtype()), part.shape, x, 0, x.strides(), out,
           part.offset, part.strides);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu
