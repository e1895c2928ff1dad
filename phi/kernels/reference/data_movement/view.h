// SPDX-License-Identifier: Apache-2.0
// Views as functions of indices: each kernel says which element of its input an
// index of its output means. The geometry follows from that function and is
// checked against it, element by element, so nothing here is shared with the
// strides that other backends compute.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_VIEW_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_VIEW_H_

#include <algorithm>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/data_movement/arrangement.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// The distance in memory of an element of x from its first one.
inline int64_t Distance(const DenseTensor& x, const Index& index) {
  int64_t distance = 0;
  for (int axis = 0; axis < x.rank(); ++axis) {
    distance += index[axis] * x.strides()[axis];
  }
  return distance;
}

// Makes `out`, whose shape is inferred, a view of x in which the index i means
// the element source(i) of x.
template <typename Source>
absl::Status ViewElements(const DenseTensor& x, const Source& source,
                          DenseTensor* out) {
  const Shape shape = out->shape();
  if (shape.numel() == 0) {
    out->SetView(x, shape, ContiguousStrides(shape), x.offset());
    return absl::OkStatus();
  }
  const int64_t first = Distance(x, source(Index{}));
  Strides strides = ContiguousStrides(shape);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape.extent(axis) == 1) continue;
    Index next = {};
    next[axis] = 1;
    strides[axis] = Distance(x, source(next)) - first;
  }
  out->SetView(x, shape, strides, x.offset() + first);
  for (int64_t i = 0; i < shape.numel(); ++i) {
    const Index index = Unravel(shape, i);
    if (first + Distance(*out, index) != Distance(x, source(index))) {
      return ArgumentError("x", "of strides that such a view can have",
                           ToString(x));
    }
  }
  return absl::OkStatus();
}

// The elements keep their row-major order.
inline absl::Status ViewInOrder(const DenseTensor& x, DenseTensor* out) {
  const Shape shape = out->shape();
  return ViewElements(
      x,
      [&](const Index& index) {
        return Unravel(x.shape(), Ravel(shape, index));
      },
      out);
}

// The elements that are `starts` after along each axis.
inline absl::Status ViewBehind(const DenseTensor& x, const Index& starts,
                               DenseTensor* out) {
  return ViewElements(
      x,
      [&](Index index) {
        for (int axis = 0; axis < x.rank(); ++axis) index[axis] += starts[axis];
        return index;
      },
      out);
}

// An axis of extent 1, and one that x lacks, repeats what it has.
inline absl::Status ViewRepeated(const DenseTensor& x, DenseTensor* out) {
  const int lead = out->rank() - x.rank();
  return ViewElements(
      x,
      [&](const Index& index) {
        Index own = {};
        for (int axis = 0; axis < x.rank(); ++axis) {
          own[axis] = x.extent(axis) == 1 ? 0 : index[lead + axis];
        }
        return own;
      },
      out);
}

template <typename S>
inline constexpr auto kReshapeSpec = KernelSpec<S>();
template <typename T>
absl::Status ReshapeKernel(const ReferenceContext&, const DenseTensor& x,
                           IntArray, DenseTensor* out) {
  return ViewInOrder(x, out);
}

template <typename S>
inline constexpr auto kViewShapeSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ViewShapeKernel(const ReferenceContext&, const DenseTensor& x,
                             IntArray, DenseTensor* out) {
  return ViewInOrder(x, out);
}

template <typename S>
inline constexpr auto kReshapeGradSpec =
    KernelSpec<S>().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status ReshapeGradKernel(const ReferenceContext&, const DenseTensor&,
                               const DenseTensor& out_grad,
                               DenseTensor* x_grad) {
  return ViewInOrder(out_grad, x_grad);
}

template <typename S>
inline constexpr auto kFlattenSpec = KernelSpec<S>();
template <typename T>
absl::Status FlattenKernel(const ReferenceContext&, const DenseTensor& x, int,
                           int, DenseTensor* out) {
  return ViewInOrder(x, out);
}

template <typename S>
inline constexpr auto kFlatten2Spec = KernelSpec<S>();
template <typename T>
absl::Status Flatten2Kernel(const ReferenceContext&, const DenseTensor& x, int,
                            DenseTensor* out) {
  return ViewInOrder(x, out);
}

template <typename S>
inline constexpr auto kDetachSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status DetachKernel(const ReferenceContext&, const DenseTensor& x,
                          DenseTensor* out) {
  return ViewInOrder(x, out);
}

template <typename S>
inline constexpr auto kSqueezeSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status SqueezeKernel(const ReferenceContext&, const DenseTensor& x,
                           IntArray, DenseTensor* out) {
  return ViewInOrder(x, out);
}

template <typename S>
inline constexpr auto kUnsqueezeSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status UnsqueezeKernel(const ReferenceContext&, const DenseTensor& x,
                             IntArray, DenseTensor* out) {
  return ViewInOrder(x, out);
}

template <typename S>
inline constexpr auto kZipMapSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ZipMapKernel(const ReferenceContext&, const DenseTensor& x,
                          absl::Span<const std::string>,
                          absl::Span<const int64_t>, DenseTensor* out) {
  return ViewInOrder(x, out);
}

// Byte b of a row of out, along its last axis, is byte b of that row of x.
template <typename S>
inline constexpr auto kViewDtypeSpec =
    KernelSpec<S>().AllStrided().Output(S::kOut, AnyDtype());
template <typename T>
absl::Status ViewDtypeKernel(const ReferenceContext&, const DenseTensor& x,
                             DataType dtype, DenseTensor* out) {
  const auto from = static_cast<int64_t>(ElementSize(x.dtype()));
  const auto to = static_cast<int64_t>(ElementSize(dtype));
  const Shape shape = out->shape();
  const int last = shape.rank() - 1;
  // Where byte b of an element of out lies, from the first of x.
  const auto place = [&](Index index, int64_t byte) {
    if (last < 0) return byte;
    const int64_t in_row = index[last] * to + byte;
    index[last] = in_row / from;
    return Distance(x, index) * from + in_row % from;
  };
  TensorMeta meta = x.meta();
  meta.dtype = dtype;
  meta.shape = shape;
  meta.strides = ContiguousStrides(shape);
  meta.offset = x.offset() * from / to;
  for (int axis = 0; axis <= last && shape.numel() > 0; ++axis) {
    Index next = {};
    next[axis] = 1;
    if (shape.extent(axis) > 1) meta.strides[axis] = place(next, 0) / to;
  }
  meta.contiguous = IsContiguous(shape, meta.strides);
  *out = DenseTensor(meta, x.buffer());
  bool fits = shape.numel() == 0 || x.offset() * from % to == 0;
  for (int64_t i = 0; i < shape.numel() && fits; ++i) {
    const Index index = Unravel(shape, i);
    for (int64_t byte = 0; byte < to && fits; ++byte) {
      fits = place(index, byte) == Distance(*out, index) * to + byte;
    }
  }
  if (fits) return absl::OkStatus();
  return ArgumentError("x", "of strides that such a view can have",
                       ToString(x));
}

// Axis k of out is axis perm[k] of x.
template <typename S>
inline constexpr auto kTransposeSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status TransposeKernel(const ReferenceContext&, const DenseTensor& x,
                             absl::Span<const int> perm, DenseTensor* out) {
  return ViewElements(
      x,
      [&](const Index& index) {
        Index own = {};
        for (int axis = 0; axis < x.rank(); ++axis) {
          const int from = perm[axis];
          own[from < 0 ? from + x.rank() : from] = index[axis];
        }
        return own;
      },
      out);
}

template <typename S>
inline constexpr auto kDiagonalSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status DiagonalKernel(const ReferenceContext&, const DenseTensor& x,
                            int offset, int axis1, int axis2,
                            DenseTensor* out) {
  return ViewElements(
      x,
      [&](const Index& index) {
        return OnDiagonal(x.rank(), index, offset, axis1, axis2);
      },
      out);
}

template <typename S>
inline constexpr auto kExpandSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ExpandKernel(const ReferenceContext&, const DenseTensor& x,
                          IntArray, DenseTensor* out) {
  return ViewRepeated(x, out);
}

template <typename S>
inline constexpr auto kExpandAsSpec =
    KernelSpec<S>().AllStrided().Input(S::kY, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status ExpandAsKernel(const ReferenceContext&, const DenseTensor& x,
                            const DenseTensor&, DenseTensor* out) {
  return ViewRepeated(x, out);
}

// starts[i] is along axes[i]; a negative one counts from the end, and one that
// is still before the beginning is the beginning.
template <typename S>
inline constexpr auto kSliceSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status SliceKernel(const ReferenceContext&, const DenseTensor& input,
                         absl::Span<const int64_t> axes, IntArray starts,
                         IntArray, DenseTensor* out) {
  Index first = {};
  for (size_t i = 0; i < axes.size(); ++i) {
    SY_ASSIGN_OR_RETURN(const int axis,
                        NormalizeAxis("axes", axes[i], input.rank()));
    const int64_t extent = input.extent(axis);
    const int64_t start = starts[i] < 0 ? starts[i] + extent : starts[i];
    first[axis] = std::max<int64_t>(start, 0);
  }
  return ViewBehind(input, first, out);
}

// Does this, and leaves out axes: the others keep their order.
template <typename S>
inline constexpr auto kLegacySliceSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status LegacySliceKernel(const ReferenceContext&,
                               const DenseTensor& input,
                               absl::Span<const int64_t> axes, IntArray starts,
                               IntArray ends,
                               absl::Span<const int64_t> decrease_axis,
                               DenseTensor* out) {
  const Slice slice(input.shape(), axes, starts, ends, decrease_axis);
  return ViewElements(
      input, [&](const Index& index) { return slice.Source(index); }, out);
}

// From the first position taken, as far as it is to the second.
template <typename S>
inline constexpr auto kStepSliceSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status StepSliceKernel(const ReferenceContext&, const DenseTensor& x,
                             absl::Span<const int64_t> axes, IntArray starts,
                             IntArray ends, IntArray steps, DenseTensor* out) {
  const Taken taken = TakenPositions(x.shape(), axes, starts, ends, steps);
  const Shape shape = out->shape();
  Strides strides = x.strides();
  int64_t offset = x.offset();
  for (int axis = 0; axis < x.rank(); ++axis) {
    const std::vector<int64_t>& positions = taken[axis];
    if (shape.numel() > 0) offset += positions[0] * x.strides()[axis];
    if (positions.size() > 1) strides[axis] *= positions[1] - positions[0];
  }
  out->SetView(x, shape, strides, offset);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kCropSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status CropKernel(const ReferenceContext&, const DenseTensor& x, IntArray,
                        IntArray offsets, DenseTensor* out) {
  Index first = {};
  std::copy(offsets.begin(), offsets.end(), first.begin());
  return ViewBehind(x, first, out);
}

// Each piece begins where the one before it ends.
template <typename S>
inline constexpr auto kSplitSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status SplitKernel(const ReferenceContext&, const DenseTensor& x,
                         IntArray, int axis, DenseOutputs out) {
  SY_ASSIGN_OR_RETURN(axis, NormalizeAxis("axis", axis, x.rank()));
  Index first = {};
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] == nullptr) {
      return absl::InternalError("out: every piece must be wanted");
    }
    SY_RETURN_IF_ERROR(ViewBehind(x, first, out[i]));
    first[axis] += out[i]->extent(axis);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_VIEW_H_
