// SPDX-License-Identifier: Apache-2.0
// From tensors to the launch of an elementwise kernel on a GPU
// (elementwise_launch.h).
#ifndef SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_H_
#define SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_H_

#include "absl/types/span.h"
#include "framework/device/gpu/gpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/kernels/gpu/elementwise_launch.h"

namespace switchyard::phi::kernels::gpu {

using ElementwiseLauncher = int (*)(const ElementwiseLaunch&, CUstream_st*);

// Enqueues `launcher` over inputs that broadcast to `out`'s shape.
absl::Status LaunchOn(const GpuContext& context,
                      absl::Span<const DenseTensor* const> inputs,
                      ElementwiseLauncher launcher, DenseTensor* out);

}  // namespace switchyard::phi::kernels::gpu

#endif  // SWITCHYARD_PHI_KERNELS_GPU_ELEMENTWISE_H_
