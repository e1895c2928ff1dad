// SPDX-License-Identifier: Apache-2.0
// Reference kernels that take elements at positions that a rule tells: for each
// element of the result the one that it comes from.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_ARRANGEMENT_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_ARRANGEMENT_H_

#include <array>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/types/float16.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

// The positions of each axis that a strided slice takes, walked one by one.
using Taken = std::array<std::vector<int64_t>, kMaxRank>;

inline Taken TakenPositions(const Shape& shape, absl::Span<const int64_t> axes,
                            IntArray starts, IntArray ends, IntArray strides) {
  Taken taken;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    for (int64_t p = 0; p < shape.extent(axis); ++p) taken[axis].push_back(p);
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    const int rank = shape.rank();
    std::vector<int64_t>& positions = taken[(axes[i] + rank) % rank];
    const int64_t extent = static_cast<int64_t>(positions.size());
    const int64_t step = strides[i];
    int64_t p = starts[i], end = ends[i];
    if (p < 0) p += extent;
    if (end < 0) end += extent;
    if (step > 0 && p < 0) p = 0;
    if (step < 0 && p >= extent) p = extent - 1;
    positions.clear();
    for (; p >= 0 && p < extent && (step > 0 ? p < end : p > end); p += step) {
      positions.push_back(p);
    }
  }
  return taken;
}

// Calls fn(index in x, number of the element in the slice) for each element.
template <typename Fn>
void ForEachTaken(const Taken& taken, int rank, Fn fn) {
  Shape slice;
  for (int axis = 0; axis < rank; ++axis) {
    slice.push_back(static_cast<int64_t>(taken[axis].size()));
  }
  for (int64_t i = 0; i < slice.numel(); ++i) {
    Index index = Unravel(slice, i);
    for (int axis = 0; axis < rank; ++axis) {
      index[axis] = taken[axis][index[axis]];
    }
    fn(index, i);
  }
}

// A slice that lacks the axes `dropped`, each of which takes one position.
class Slice {
 public:
  Slice(const Shape& shape, absl::Span<const int64_t> axes, IntArray starts,
        IntArray ends, absl::Span<const int64_t> dropped)
      : rank_(shape.rank()) {
    const std::vector<int64_t> steps(axes.size(), 1);
    taken_ = TakenPositions(shape, axes, starts, ends, steps);
    for (const int64_t axis : dropped) dropped_[(axis + rank_) % rank_] = true;
  }

  // Returns the index in the whole of the slice's element at `index`.
  Index Source(const Index& index) const {
    Index source = {};
    int kept = 0;
    for (int axis = 0; axis < rank_; ++axis) {
      source[axis] = taken_[axis][dropped_[axis] ? 0 : index[kept++]];
    }
    return source;
  }

 private:
  int rank_;
  Taken taken_;
  std::array<bool, kMaxRank> dropped_ = {};
};

template <typename S>
inline constexpr auto kStridedSliceSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status StridedSliceKernel(const ReferenceContext&, const DenseTensor& x,
                                absl::Span<const int64_t> axes, IntArray starts,
                                IntArray ends, IntArray strides,
                                absl::Span<const int64_t>, DenseTensor* out) {
  ForEachTaken(TakenPositions(x.shape(), axes, starts, ends, strides), x.rank(),
               [&](const Index& index, int64_t i) {
                 out->mutable_data<T>()[i] = At<T>(x, index);
               });
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kStridedSliceGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status StridedSliceGradKernel(
    const ReferenceContext&, const DenseTensor& x, const DenseTensor& out_grad,
    absl::Span<const int64_t> axes, IntArray starts, IntArray ends,
    IntArray strides, absl::Span<const int64_t>, DenseTensor* x_grad) {
  for (int64_t i = 0; i < x.numel(); ++i) x_grad->mutable_data<T>()[i] = T{};
  ForEachTaken(TakenPositions(x.shape(), axes, starts, ends, strides), x.rank(),
               [&](const Index& index, int64_t i) {
                 x_grad->mutable_data<T>()[Ravel(x.shape(), index)] =
                     At<T>(out_grad, i);
               });
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kStepSliceGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status StepSliceGradKernel(const ReferenceContext& context,
                                 const DenseTensor& x,
                                 const DenseTensor& out_grad,
                                 absl::Span<const int64_t> axes,
                                 IntArray starts, IntArray ends, IntArray steps,
                                 DenseTensor* x_grad) {
  return StridedSliceGradKernel<T>(context, x, out_grad, axes, starts, ends,
                                   steps, {}, x_grad);
}

template <typename S>
inline constexpr auto kRollSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status RollKernel(const ReferenceContext&, const DenseTensor& x,
                        IntArray shifts, absl::Span<const int64_t> axis,
                        DenseTensor* out) {
  const Shape shape = axis.empty() ? Shape({x.numel()}) : x.shape();
  const int rank = shape.rank();
  for (int64_t i = 0; i < x.numel(); ++i) {
    Index index = Unravel(shape, i);
    for (size_t k = 0; k < shifts.size(); ++k) {
      const int a =
          axis.empty() ? 0 : static_cast<int>((axis[k] + rank) % rank);
      const int64_t extent = shape.extent(a);
      index[a] = (index[a] + shifts[k] % extent + extent) % extent;
    }
    out->mutable_data<T>()[Ravel(shape, index)] = At<T>(x, i);
  }
  return absl::OkStatus();
}

// The index in x of element `index` of its diagonals.
inline Index OnDiagonal(int rank, const Index& index, int offset, int axis1,
                        int axis2) {
  const int rows = (axis1 + rank) % rank, columns = (axis2 + rank) % rank;
  Index own = {};
  int at = 0;
  for (int axis = 0; axis < rank; ++axis) {
    if (axis != rows && axis != columns) own[axis] = index[at++];
  }
  own[rows] = index[at] - (offset < 0 ? offset : 0);
  own[columns] = index[at] + (offset > 0 ? offset : 0);
  return own;
}

template <typename T>
void TakeDiagonal(const DenseTensor& x, int offset, int axis1, int axis2,
                  DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    out->mutable_data<T>()[i] = At<T>(
        x,
        OnDiagonal(x.rank(), Unravel(out->shape(), i), offset, axis1, axis2));
  }
}

// x on the diagonals of `out`, `padding` elsewhere.
template <typename T>
void SetDiagonal(const DenseTensor& x, int offset, int axis1, int axis2,
                 T padding, DenseTensor* out) {
  for (int64_t i = 0; i < out->numel(); ++i) {
    out->mutable_data<T>()[i] = padding;
  }
  for (int64_t i = 0; i < x.numel(); ++i) {
    const Index index =
        OnDiagonal(out->rank(), Unravel(x.shape(), i), offset, axis1, axis2);
    out->mutable_data<T>()[Ravel(out->shape(), index)] = At<T>(x, i);
  }
}

template <typename S>
inline constexpr auto kDiagonalGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status DiagonalGradKernel(const ReferenceContext&, const DenseTensor&,
                                const DenseTensor& out_grad, int offset,
                                int axis1, int axis2, DenseTensor* x_grad) {
  SetDiagonal<T>(out_grad, offset, axis1, axis2, T{}, x_grad);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kDiagSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status DiagKernel(const ReferenceContext&, const DenseTensor& x,
                        int offset, double padding_value, DenseTensor* out) {
  if (x.rank() == 2) {
    TakeDiagonal<T>(x, offset, 0, 1, out);
  } else {
    SetDiagonal<T>(x, offset, 0, 1, Scalar(padding_value).to<T>(), out);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kDiagGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status DiagGradKernel(const ReferenceContext&, const DenseTensor& x,
                            const DenseTensor& out_grad, int offset,
                            DenseTensor* x_grad) {
  if (x.rank() == 1) {
    TakeDiagonal<T>(out_grad, offset, 0, 1, x_grad);
  } else {
    SetDiagonal<T>(out_grad, offset, 0, 1, T{}, x_grad);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_ARRANGEMENT_H_
