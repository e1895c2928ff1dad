// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/decomposition/factors.h"

#include <string>

#include "phi/infermeta/checks.h"

namespace switchyard::phi {

absl::Status PivotPermutationInferMeta(const TensorSpec& pivots, int64_t rows,
                                       TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRankAtLeast("pivots", pivots, 1));
  SY_RETURN_IF_ERROR(CheckIndexDtype("pivots", pivots));
  const int last = pivots.shape.rank() - 1;
  const Dim count = pivots.shape[last];
  if (rows < 0 || (count.known() && count.value() > rows)) {
    return ArgumentError("rows", ToString(count) + " or more, as pivots",
                         std::to_string(rows));
  }
  Shape shape = pivots.shape;
  shape[last] = Dim(rows);
  return SetOutput(out, DataType::kInt64, shape);
}

}  // namespace switchyard::phi
