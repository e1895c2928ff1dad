// SPDX-License-Identifier: Apache-2.0
// PredictedLaunches: the kernels that a call launches if its Explanation
// (phi/selection/explain.h) is true: the casts of promotion, then the
// transforms, then the kernel that is chosen, of each call that it is made of.
#ifndef SWITCHYARD_TESTS_EXPLAIN_PREDICTED_LAUNCHES_H_
#define SWITCHYARD_TESTS_EXPLAIN_PREDICTED_LAUNCHES_H_

#include <vector>

#include "absl/types/span.h"
#include "phi/core/kernel_table.h"
#include "phi/selection/explain.h"

namespace switchyard {

// `given` are the call's tensors before promotion, by slot. The explanation has
// an answer.
std::vector<const phi::KernelDef*> PredictedLaunches(
    const phi::selection::Explanation& explanation,
    absl::Span<const TensorMeta* const> given, const phi::KernelTable& kernels);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_EXPLAIN_PREDICTED_LAUNCHES_H_
