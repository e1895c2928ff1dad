// SPDX-License-Identifier: Apache-2.0
#include "phi/legacy/kernels/row_indices.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace switchyard::phi::fluid {

absl::StatusOr<std::vector<int64_t>> CheckedRowIndices(const DenseTensor& ids,
                                                       int64_t height,
                                                       int64_t padding_idx) {
  std::vector<int64_t> rows(ids.data<int64_t>(),
                            ids.data<int64_t>() + ids.numel());
  for (const int64_t id : rows) {
    const bool padding = id == padding_idx && padding_idx != kNoPadding;
    if ((id < 0 || id >= height) && !padding) {
      return RangeError("ids", absl::StrCat("in [0, ", height, ")"),
                        std::to_string(id));
    }
  }
  return rows;
}

}  // namespace switchyard::phi::fluid
