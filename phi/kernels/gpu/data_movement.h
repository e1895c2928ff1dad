// SPDX-License-Identifier: Apache-2.0
// copy to, from and within the memory of a GPU; contiguous and assign there.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_DATA_MOVEMENT_H_
#define SWITCHYARD_PHI_KERNELS_GPU_DATA_MOVEMENT_H_

#include "framework/base/status.h"
#include "framework/device/gpu/gpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/selected_rows.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::gpu {

// The work, without a dtype. Both tensors are allocated and contiguous; either
// may lie on any device.
absl::Status MoveBytes(const GpuContext& context, const DenseTensor& x,
                       DenseTensor* out);

// Copies x to another place.
absl::Status MoveRows(const GpuContext& context, const SelectedRows& x,
                      Place place, SelectedRows* out);

// The elements of x, of any strides, into the contiguous `out` beside it.
absl::Status MoveElements(const GpuContext& context, const DenseTensor& x,
                          DenseTensor* out);

template <typename S>
inline constexpr auto kCopySpec = KernelSpec<S>().When(IsContiguous(S::kX));
template <typename T>
absl::Status CopyKernel(const GpuContext& context, const DenseTensor& x, Place,
                        DenseTensor* out) {
  return MoveBytes(context, x, out);
}

template <typename S>
inline constexpr auto kCopySelectedRowsSpec =
    KernelSpec<S>().Output(S::kOut, SelfAllocated(ArgDef()));
template <typename T>
absl::Status CopySelectedRowsKernel(const GpuContext& context,
                                    const SelectedRows& x, Place place,
                                    SelectedRows* out) {
  return MoveRows(context, x, place, out);
}

template <typename S>
inline constexpr auto kContiguousSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ContiguousKernel(const GpuContext& context, const DenseTensor& x,
                              DenseTensor* out) {
  return MoveElements(context, x, out);
}

template <typename S>
inline constexpr auto kAssignSpec = KernelSpec<S>().AllStrided();
template <typename T>
inline constexpr auto AssignKernel = &ContiguousKernel<T>;

}  // namespace switchyard::phi::kernels::gpu

#endif  // SWITCHYARD_PHI_KERNELS_GPU_DATA_MOVEMENT_H_
