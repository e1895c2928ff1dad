// SPDX-License-Identifier: Apache-2.0
// Kernels that move elements on the CPU without looking at them: contiguous,
// copy, assign, concat, and the gradients of concat and slice. All take inputs
// of any strides. What moves nothing is in phi/kernels/views/view.h.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_DATA_MOVEMENT_H_
#define SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_DATA_MOVEMENT_H_

#include <utility>

#include "framework/base/status.h"
#include "framework/device/cpu/cpu_context.h"
#include "framework/tensor/selected_rows.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_layouts.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::cpu {

// The work, without a dtype. `out` is allocated and contiguous.
void MoveAll(const DenseTensor& x, DenseTensor* out);
// Leaves an input alone that is where it goes: a program may have written it
// there.
absl::Status MoveConcat(DenseList x, int axis, DenseTensor* out);
absl::Status MoveConcatGrad(const DenseTensor& out_grad, int axis,
                            DenseOutputs x_grad);
// `dropped`: the axes of input_grad that out_grad lacks.
absl::Status MoveSliceGrad(const DenseTensor& out_grad,
                           absl::Span<const int64_t> axes, IntArray starts,
                           absl::Span<const int64_t> dropped,
                           DenseTensor* input_grad);

template <typename S>
inline constexpr auto kContiguousSpec = KernelSpec<S>().AllStrided();
// Also assign.
template <typename T>
absl::Status ContiguousKernel(const CpuContext&, const DenseTensor& x,
                              DenseTensor* out) {
  MoveAll(x, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kAssignSpec = KernelSpec<S>().AllStrided();
template <typename T>
inline constexpr auto AssignKernel = &ContiguousKernel<T>;

template <typename S>
inline constexpr auto kCopySpec = KernelSpec<S>().AllStrided();
// To a place of the host; other places are served by their own backends.
template <typename T>
absl::Status CopyKernel(const CpuContext&, const DenseTensor& x, Place place,
                        DenseTensor* out) {
  if (place != Place::Cpu()) {
    return ArgumentError("place", "cpu", ToString(place));
  }
  MoveAll(x, out);
  return absl::OkStatus();
}

template <typename S>
inline constexpr auto kCopySelectedRowsSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CopySelectedRowsKernel(const CpuContext& context,
                                    const SelectedRows& x, Place place,
                                    SelectedRows* out) {
  DenseTensor values;
  values.SetMeta(x.dtype(), x.values().shape(), x.place());
  SY_RETURN_IF_ERROR(context.Allocate(&values));
  SY_RETURN_IF_ERROR(CopyKernel<T>(context, x.values(), place, &values));
  *out = SelectedRows(x.height(), x.rows(), std::move(values));
  return absl::OkStatus();
}

// Images in blocks of channels stay so where each has whole blocks: in memory
// their blocks are concatenated.
absl::Status ConcatLayouts(const LayoutCall& call, int axis,
                           TensorLayouts* layouts);
template <typename S>
absl::Status ConcatLayouts(const LayoutCall& call, TensorLayouts* layouts) {
  return ConcatLayouts(call, call.attrs[S::kAxis].template Get<int>(), layouts);
}

template <typename S>
inline constexpr auto kConcatSpec = KernelSpec<S>().AllStrided().Layouts(
    DataLayout::kStrided, &ConcatLayouts<S>);
template <typename T>
absl::Status ConcatKernel(const CpuContext&, DenseList x, int axis,
                          DenseTensor* out) {
  return MoveConcat(x, axis, out);
}

template <typename S>
inline constexpr auto kConcatGradSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ConcatGradKernel(const CpuContext&, DenseList,
                              const DenseTensor& out_grad, int axis,
                              DenseOutputs x_grad) {
  return MoveConcatGrad(out_grad, axis, x_grad);
}

template <typename S>
inline constexpr auto kSliceGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kInput, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status SliceGradKernel(const CpuContext&, const DenseTensor&,
                             const DenseTensor& out_grad,
                             absl::Span<const int64_t> axes, IntArray starts,
                             IntArray, DenseTensor* input_grad) {
  return MoveSliceGrad(out_grad, axes, starts, {}, input_grad);
}

template <typename S>
inline constexpr auto kLegacySliceGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kInput, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status LegacySliceGradKernel(const CpuContext&, const DenseTensor&,
                                   const DenseTensor& out_grad,
                                   absl::Span<const int64_t> axes,
                                   IntArray starts, IntArray,
                                   absl::Span<const int64_t> decrease_axis,
                                   DenseTensor* input_grad) {
  return MoveSliceGrad(out_grad, axes, starts, decrease_axis, input_grad);
}

template <typename S>
inline constexpr auto kCropGradSpec =
    KernelSpec<S>().AllStrided().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status CropGradKernel(const CpuContext&, const DenseTensor&,
                            const DenseTensor& out_grad, IntArray,
                            IntArray offsets, DenseTensor* x_grad) {
  std::array<int64_t, kMaxRank> axes = {};
  for (size_t i = 0; i < offsets.size(); ++i) {
    axes[i] = static_cast<int64_t>(i);
  }
  return MoveSliceGrad(out_grad, {axes.data(), offsets.size()}, offsets, {},
                       x_grad);
}

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_DATA_MOVEMENT_DATA_MOVEMENT_H_
