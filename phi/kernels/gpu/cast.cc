// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpu/cast.h"

#include "phi/kernels/gpu/elementwise.h"
#include "phi/kernels/gpu/movement_launch.h"

namespace switchyard::phi::kernels::gpu {

absl::Status ConvertAll(const GpuContext& context, const DenseTensor& x,
                        DataType dtype, DenseTensor* out) {
  SY_RETURN_IF_ERROR(context.status());
  if (out->numel() == 0) return absl::OkStatus();
  ElementwiseLaunch launch = LaunchOver(out, dtype);
  AddInput(x, 0, &launch);
  return CudaStatus(LaunchCast(launch, out->dtype(), context.stream()),
                    "kernel launch");
}

}  // namespace switchyard::phi::kernels::gpu
