// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/softmax/cross_entropy.h"

#include <string>

#include "phi/kernels/cpu/conversion/index_copy.h"

namespace switchyard::phi::kernels::cpu {

absl::StatusOr<Workspace<int64_t>> CopyLabels(Allocator& allocator,
                                              const DenseTensor& label,
                                              const ClassRows& rows,
                                              int ignore_index) {
  SY_ASSIGN_OR_RETURN(Workspace<int64_t> labels, CopyIndices(allocator, label));
  for (int64_t r = 0; r < rows.rows(); ++r) {
    const int64_t own = labels.data()[r];
    if (own != ignore_index && (own < 0 || own >= rows.classes)) {
      return RangeError("label",
                        "in [0, " + std::to_string(rows.classes) +
                            ") or ignore_index " + std::to_string(ignore_index),
                        std::to_string(own) + " in row " + std::to_string(r));
    }
  }
  return labels;
}

}  // namespace switchyard::phi::kernels::cpu
