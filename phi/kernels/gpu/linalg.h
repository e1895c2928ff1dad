// SPDX-License-Identifier: Apache-2.0
// matmul by cuBLAS.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_LINALG_H_
#define SWITCHYARD_PHI_KERNELS_GPU_LINALG_H_

#include "framework/base/status.h"
#include "framework/device/gpu/gpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::gpu {

template <typename S>
inline constexpr auto kMatmulSpec = KernelSpec<S>();
template <typename T>
absl::Status MatmulKernel(const GpuContext& context, const DenseTensor& x,
                          const DenseTensor& y, bool transpose_x,
                          bool transpose_y, DenseTensor* out);

}  // namespace switchyard::phi::kernels::gpu

#endif  // SWITCHYARD_PHI_KERNELS_GPU_LINALG_H_
