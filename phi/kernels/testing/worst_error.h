// SPDX-License-Identifier: Apache-2.0
// WorstErrorOf: how far a kernel's results are from exact ones.
#ifndef SWITCHYARD_PHI_KERNELS_TESTING_WORST_ERROR_H_
#define SWITCHYARD_PHI_KERNELS_TESTING_WORST_ERROR_H_

#include <cstddef>

#include "absl/types/span.h"

namespace switchyard::phi::kernels {

struct WorstError {
  // In units in the last place of the exact result, or of the least normal
  // number's where it is smaller.
  long double units = 0;
  // The index of the result with that error.
  size_t at = 0;
};

// The largest error of `got`, values of T. T is float, float16 or bfloat16.
template <typename T>
WorstError WorstErrorOf(absl::Span<const double> got,
                        absl::Span<const long double> exact);

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_TESTING_WORST_ERROR_H_
