// SPDX-License-Identifier: Apache-2.0
#include "framework/device/device_context.h"

namespace switchyard {

absl::Status DeviceContext::Allocate(DenseTensor* tensor) const {
  if (tensor->allocated()) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(
      const DenseTensor memory,
      DenseTensor::Allocate(tensor->dtype(), tensor->shape(), *allocator_));
  tensor->SetBuffer(memory.buffer());
  return absl::OkStatus();
}

}  // namespace switchyard
