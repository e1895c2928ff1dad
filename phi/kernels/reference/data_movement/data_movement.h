// SPDX-License-Identifier: Apache-2.0
// Reference kernels that move elements, one at a time.
// Views, which move none, are in view.h.
#ifndef SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_DATA_MOVEMENT_H_
#define SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_DATA_MOVEMENT_H_

#include <algorithm>
#include <utility>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/selected_rows.h"
#include "framework/types/float16.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_spec.h"
#include "phi/kernels/reference/data_movement/arrangement.h"
#include "phi/kernels/reference/elements.h"

namespace switchyard::phi::kernels::reference {

template <typename S>
inline constexpr auto kContiguousSpec = KernelSpec<S>().AllStrided();
// Also assign.
template <typename T>
absl::Status ContiguousKernel(const ReferenceContext&, const DenseTensor& x,
                              DenseTensor* out) {
  for (int64_t i = 0; i < x.numel(); ++i) {
    out->mutable_data<T>()[i] = At<T>(x, i);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAssignSpec = KernelSpec<S>().AllStrided();
template <typename T>
inline constexpr auto AssignKernel = &ContiguousKernel<T>;

template <typename S>
inline constexpr auto kCopySpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status CopyKernel(const ReferenceContext& context, const DenseTensor& x,
                        Place place, DenseTensor* out) {
  if (place != Place::Cpu()) {
    return ArgumentError("place", "cpu", ToString(place));
  }
  return ContiguousKernel<T>(context, x, out);
}

template <typename S>
inline constexpr auto kCopySelectedRowsSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CopySelectedRowsKernel(const ReferenceContext& context,
                                    const SelectedRows& x, Place place,
                                    SelectedRows* out) {
  DenseTensor values;
  values.SetMeta(x.dtype(), x.values().shape(), x.place());
  SY_RETURN_IF_ERROR(context.Allocate(&values));
  SY_RETURN_IF_ERROR(CopyKernel<T>(context, x.values(), place, &values));
  *out = SelectedRows(x.height(), x.rows(), std::move(values));
  return absl::OkStatus();
}

// Element i of `part` is at `index` of the whole, where `part` begins at
// `begin` on `axis`.
inline Index Moved(const DenseTensor& part, int64_t i, int axis,
                   int64_t begin) {
  Index index = Unravel(part.shape(), i);
  index[axis] += begin;
  return index;
}

template <typename S>
inline constexpr auto kConcatSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ConcatKernel(const ReferenceContext&, DenseList x, int axis,
                          DenseTensor* out) {
  if (axis < 0) axis += out->rank();
  int64_t begin = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    for (int64_t i = 0; i < x[k].numel(); ++i) {
      const int64_t o = Ravel(out->shape(), Moved(x[k], i, axis, begin));
      out->mutable_data<T>()[o] = At<T>(x[k], i);
    }
    begin += x[k].extent(axis);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kConcatGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ConcatGradKernel(const ReferenceContext&, DenseList x,
                              const DenseTensor& out_grad, int axis,
                              DenseOutputs x_grad) {
  if (axis < 0) axis += out_grad.rank();
  int64_t begin = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    for (int64_t i = 0; x_grad[k] != nullptr && i < x[k].numel(); ++i) {
      x_grad[k]->mutable_data<T>()[i] =
          At<T>(out_grad, Moved(x[k], i, axis, begin));
    }
    begin += x[k].extent(axis);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kLegacySliceGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kInput, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status LegacySliceGradKernel(const ReferenceContext&,
                                   const DenseTensor& input,
                                   const DenseTensor& out_grad,
                                   absl::Span<const int64_t> axes,
                                   IntArray starts, IntArray ends,
                                   absl::Span<const int64_t> decrease_axis,
                                   DenseTensor* input_grad) {
  std::fill_n(input_grad->mutable_data<T>(), input_grad->numel(), T{0});
  const Slice slice(input.shape(), axes, starts, ends, decrease_axis);
  for (int64_t i = 0; i < out_grad.numel(); ++i) {
    const Index index = slice.Source(Unravel(out_grad.shape(), i));
    input_grad->mutable_data<T>()[Ravel(input.shape(), index)] =
        At<T>(out_grad, i);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kSliceGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kInput, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status SliceGradKernel(const ReferenceContext&, const DenseTensor&,
                             const DenseTensor& out_grad,
                             absl::Span<const int64_t> axes, IntArray starts,
                             IntArray, DenseTensor* input_grad) {
  std::fill_n(input_grad->mutable_data<T>(), input_grad->numel(), T{0});
  Index begin = {};
  for (size_t k = 0; k < axes.size(); ++k) {
    const int axis =
        static_cast<int>(axes[k] < 0 ? axes[k] + input_grad->rank() : axes[k]);
    const int64_t extent = input_grad->extent(axis);
    int64_t start = std::max(starts[k], -extent);
    if (start < 0) start += extent;
    begin[axis] = std::min(start, extent);
  }
  for (int64_t i = 0; i < out_grad.numel(); ++i) {
    Index index = Unravel(out_grad.shape(), i);
    for (int axis = 0; axis < out_grad.rank(); ++axis) {
      index[axis] += begin[axis];
    }
    input_grad->mutable_data<T>()[Ravel(input_grad->shape(), index)] =
        At<T>(out_grad, i);
  }
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kCropGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status CropGradKernel(const ReferenceContext&, const DenseTensor&,
                            const DenseTensor& out_grad, IntArray,
                            IntArray offsets, DenseTensor* x_grad) {
  std::fill_n(x_grad->mutable_data<T>(), x_grad->numel(), T{0});
  for (int64_t i = 0; i < out_grad.numel(); ++i) {
    Index index = Unravel(out_grad.shape(), i);
    for (size_t axis = 0; axis < offsets.size(); ++axis) {
      index[axis] += offsets[axis];
    }
    x_grad->mutable_data<T>()[Ravel(x_grad->shape(), index)] =
        At<T>(out_grad, i);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::reference

#endif  // SWITCHYARD_PHI_KERNELS_REFERENCE_DATA_MOVEMENT_DATA_MOVEMENT_H_
