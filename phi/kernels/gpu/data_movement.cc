// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpu/data_movement.h"

#include <utility>

#include "framework/device/transfer.h"
#include "phi/kernels/gpu/elementwise.h"
#include "phi/kernels/gpu/movement_launch.h"

namespace switchyard::phi::kernels::gpu {

absl::Status MoveBytes(const GpuContext& context, const DenseTensor& x,
                       DenseTensor* out) {
  SY_RETURN_IF_ERROR(context.status());
  SY_RETURN_IF_ERROR(CheckPlace(x.place()));
  SY_RETURN_IF_ERROR(CheckPlace(out->place()));
  return CopyBytes(BytesOf(x), BytesOf(*out), x.byte_size());
}

absl::Status MoveRows(const GpuContext& context, const SelectedRows& x,
                      Place place, SelectedRows* out) {
  SY_RETURN_IF_ERROR(context.status());
  SY_ASSIGN_OR_RETURN(DenseTensor values, Transferred(x.values(), place));
  *out = SelectedRows(x.height(), x.rows(), std::move(values));
  return absl::OkStatus();
}

absl::Status MoveElements(const GpuContext& context, const DenseTensor& x,
                          DenseTensor* out) {
  SY_RETURN_IF_ERROR(context.status());
  if (out->numel() == 0) return absl::OkStatus();
  ElementwiseLaunch launch = LaunchOver(out, x.dtype());
  AddInput(x, 0, &launch);
  return CudaStatus(LaunchCopy(launch, context.stream()), "kernel launch");
}

}  // namespace switchyard::phi::kernels::gpu
