// SPDX-License-Identifier: Apache-2.0
// Arithmetic on a GPU.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_ARITHMETIC_H_
#define SWITCHYARD_PHI_KERNELS_GPU_ARITHMETIC_H_

#include "framework/base/status.h"
#include "framework/device/gpu/gpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::gpu {

template <typename S>
inline constexpr auto kAddSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status AddKernel(const GpuContext& context, const DenseTensor& x,
                       const DenseTensor& y, DenseTensor* out);

}  // namespace switchyard::phi::kernels::gpu

#endif  // SWITCHYARD_PHI_KERNELS_GPU_ARITHMETIC_H_
