// SPDX-License-Identifier: Apache-2.0
#include "framework/base/op_error.h"

namespace switchyard {

OpError::OpError(absl::Status status)
    : status_(std::move(status)), what_(status_.message()) {}

void ThrowOpError(absl::Status status) { throw OpError(std::move(status)); }

}  // namespace switchyard
