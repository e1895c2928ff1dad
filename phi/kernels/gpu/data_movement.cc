// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpu/data_movement.h"

#include "framework/device/transfer.h"

namespace switchyard::phi::kernels::gpu {

absl::Status MoveBytes(const GpuContext& context, const DenseTensor& x,
                       DenseTensor* out) {
  SY_RETURN_IF_ERROR(context.status());
  SY_RETURN_IF_ERROR(CheckPlace(x.place()));
  SY_RETURN_IF_ERROR(CheckPlace(out->place()));
  return CopyBytes(BytesOf(x), BytesOf(*out),
                   static_cast<size_t>(x.numel()) * ElementSize(x.dtype()));
}

}  // namespace switchyard::phi::kernels::gpu
