// SPDX-License-Identifier: Apache-2.0
// sgd_ of dense tensors on a GPU.
#ifndef SWITCHYARD_PHI_KERNELS_GPU_OPTIMIZER_H_
#define SWITCHYARD_PHI_KERNELS_GPU_OPTIMIZER_H_

#include "framework/base/status.h"
#include "framework/device/gpu/gpu_context.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/core/kernel_spec.h"

namespace switchyard::phi::kernels::gpu {

// The work, for parameters of `dtype`. FailedPrecondition where there is no
// GPU.
absl::Status StepSgd(const GpuContext& context, DataType dtype,
                     const DenseTensor& param, const DenseTensor& learning_rate,
                     const DenseTensor& grad, DenseTensor* param_out);

// The learning rate is float32 where the parameter is float16 or bfloat16.
template <typename S>
inline constexpr auto kSgdSpec = KernelSpec<S>().Input(S::kLearningRate,
                                                       AnyDtype());
template <typename T>
absl::Status SgdKernel(const GpuContext& context, const DenseTensor& param,
                       const DenseTensor& learning_rate,
                       const DenseTensor& grad, DenseTensor* param_out) {
  return StepSgd(context, DataTypeOf<T>::value, param, learning_rate, grad,
                 param_out);
}

}  // namespace switchyard::phi::kernels::gpu

#endif  // SWITCHYARD_PHI_KERNELS_GPU_OPTIMIZER_H_
