// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/gpu/creation.h"

#include <cstring>

#include "phi/kernels/gpu/movement_launch.h"

namespace switchyard::phi::kernels::gpu {

absl::Status FillAll(const GpuContext& context, const void* element,
                     size_t size, DenseTensor* out) {
  SY_RETURN_IF_ERROR(context.status());
  if (out->numel() == 0) return absl::OkStatus();
  FillElement bytes = {};
  std::memcpy(&bytes, element, size);
  return CudaStatus(LaunchFill(bytes, static_cast<int64_t>(size), out->numel(),
                               out->mutable_data<void>(), context.stream()),
                    "kernel launch");
}

}  // namespace switchyard::phi::kernels::gpu
