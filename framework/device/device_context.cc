// SPDX-License-Identifier: Apache-2.0
#include "framework/device/device_context.h"

#include <utility>

namespace switchyard {

absl::Status DeviceContext::Allocate(DenseTensor* tensor) const {
  if (tensor->allocated()) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const int64_t bytes,
                      CheckedByteSize(tensor->dtype(), tensor->shape()));
  SY_ASSIGN_OR_RETURN(RefPtr<Buffer> buffer,
                      allocator_->Allocate(static_cast<size_t>(bytes)));
  tensor->SetBuffer(std::move(buffer));
  return absl::OkStatus();
}

}  // namespace switchyard
