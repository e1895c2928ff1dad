// SPDX-License-Identifier: Apache-2.0
#include "phi/fluid/row_indices.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace switchyard::phi::fluid {

absl::Status CheckRowIndices(absl::Span<const int64_t> ids, int64_t height,
                             int64_t padding_idx) {
  for (const int64_t id : ids) {
    const bool padding = id == padding_idx && padding_idx != kNoPadding;
    if ((id < 0 || id >= height) && !padding) {
      return RangeError("ids", absl::StrCat("in [0, ", height, ")"),
                        std::to_string(id));
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::fluid
