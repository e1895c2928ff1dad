// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/softmax/cross_entropy.h"

namespace switchyard::phi::kernels::cpu {

absl::Status CheckLabels(const HardLabels& labels, const ClassRows& rows,
                         int ignore_index) {
  for (int64_t r = 0; r < rows.rows(); ++r) {
    const int64_t label = labels[r];
    if (label != ignore_index && (label < 0 || label >= rows.classes)) {
      return RangeError("label",
                        "in [0, " + std::to_string(rows.classes) +
                            ") or ignore_index " + std::to_string(ignore_index),
                        std::to_string(label) + " in row " + std::to_string(r));
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::phi::kernels::cpu
