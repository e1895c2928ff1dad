// SPDX-License-Identifier: Apache-2.0
#include "phi/core/arg_buffer.h"

#include "absl/strings/str_cat.h"

namespace switchyard::phi {

absl::Status ArgLayout::Check() const {
  if (size_ <= static_cast<size_t>(kMaxArgElements)) return absl::OkStatus();
  return ArgumentError("tensors", absl::StrCat("at most ", kMaxArgElements),
                       absl::StrCat(size_));
}

}  // namespace switchyard::phi
