// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/linear_solve/matrices.h"

#include "absl/strings/str_cat.h"

namespace switchyard::phi::kernels::cpu {

absl::Status CheckFit(int64_t unfit, const char* expected) {
  if (unfit < 0) return absl::OkStatus();
  return ArgumentError(
      "x", expected,
      absl::StrCat("a matrix at position ", unfit, " that is not"));
}

}  // namespace switchyard::phi::kernels::cpu
