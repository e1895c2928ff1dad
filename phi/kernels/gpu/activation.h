// SPDX-License-Identifier: Apache-2.0
// Activations on a GPU.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_ACTIVATION_H_
#define SWITCHYARD_PHI_KERNELS_GPU_ACTIVATION_H_

#include "framework/base/status.h"
#include "framework/device/gpu/gpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::gpu {

template <typename S>
inline constexpr auto kReluSpec = KernelSpec<S>().AllStrided();
template <typename T>
absl::Status ReluKernel(const GpuContext& context, const DenseTensor& x,
                        DenseTensor* out);

}  // namespace switchyard::phi::kernels::gpu

#endif  // SWITCHYARD_PHI_KERNELS_GPU_ACTIVATION_H_
