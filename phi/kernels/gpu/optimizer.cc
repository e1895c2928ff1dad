// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpu/optimizer.h"

#include "phi/kernels/gpu/movement_launch.h"

namespace switchyard::phi::kernels::gpu {

absl::Status StepSgd(const GpuContext& context, DataType dtype,
                     const DenseTensor& param, const DenseTensor& learning_rate,
                     const DenseTensor& grad, DenseTensor* param_out) {
  SY_RETURN_IF_ERROR(context.status());
  if (param.numel() == 0) return absl::OkStatus();
  const SgdLaunch launch = {param.numel(),    dtype,
                            param.raw_data(), learning_rate.raw_data(),
                            grad.raw_data(),  param_out->mutable_data<void>()};
  return CudaStatus(LaunchSgd(launch, context.stream()), "kernel launch");
}

}  // namespace switchyard::phi::kernels::gpu
