// SPDX-License-Identifier: Apache-2.0
// full and full_like on a GPU.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_CREATION_H_
#define SWITCHYARD_PHI_KERNELS_GPU_CREATION_H_

#include "framework/base/status.h"
#include "framework/device/gpu/gpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "framework/types/float16.h"
#include "framework/types/scalar.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::gpu {

// Fills `out` with an element of `size` bytes. FailedPrecondition where there
// is no GPU.
absl::Status FillAll(const GpuContext& context, const void* element,
                     size_t size, DenseTensor* out);

template <typename S>
inline constexpr auto kFullSpec = KernelSpec<S>();
template <typename T>
absl::Status FullKernel(const GpuContext& context, IntArray,
                        const Scalar& value, DataType, DenseTensor* out) {
  const T element = value.to<T>();
  return FillAll(context, &element, sizeof(T), out);
}

template <typename S>
inline constexpr auto kFullLikeSpec =
    KernelSpec<S>().Input(S::kX, WithAnyStrides(AnyDtype()));
template <typename T>
absl::Status FullLikeKernel(const GpuContext& context, const DenseTensor&,
                            const Scalar& value, DataType, DenseTensor* out) {
  const T element = value.to<T>();
  return FillAll(context, &element, sizeof(T), out);
}

}  // namespace switchyard::phi::kernels::gpu

#endif  // SWITCHYARD_PHI_KERNELS_GPU_CREATION_H_
