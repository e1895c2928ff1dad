// SPDX-License-Identifier: Apache-2.0
#include "phi/core/arg_buffer.h"

#include "absl/strings/str_cat.h"

namespace switchyard::phi {

void ArgLayout::Add(size_t elements) {
  if (elements != 1 && begins_.empty()) {
    for (int i = 0; i <= arguments_; ++i) {
      begins_.push_back(static_cast<uint16_t>(i));
    }
  }
  ++arguments_;
  size_ += elements;
  if (!begins_.empty()) begins_.push_back(static_cast<uint16_t>(size_));
}

absl::Status ArgLayout::Check() const {
  if (size_ <= static_cast<size_t>(kMaxArgElements)) return absl::OkStatus();
  return ArgumentError("tensors", absl::StrCat("at most ", kMaxArgElements),
                       absl::StrCat(size_));
}

}  // namespace switchyard::phi
