// SPDX-License-Identifier: Apache-2.0
// PredictedLaunches: the kernels that a call launches if its Explanation
// (phi/selection/explain.h) is true: the casts of promotion, then the
// transforms, then the kernel that is chosen, of each call that it is made of;
// and the copies that a fallback makes there and back.
#ifndef SWITCHYARD_TESTS_EXPLAIN_PREDICTED_LAUNCHES_H_
#define SWITCHYARD_TESTS_EXPLAIN_PREDICTED_LAUNCHES_H_

#include <vector>

#include "absl/types/span.h"
#include "phi/core/kernel_table.h"
#include "phi/selection/explain.h"

namespace switchyard {

// The launches of a call, in order, as its explanation predicts them.
struct PredictedCall {
  // A copy of a fallback's result whose shape depends on elements: it is made
  // if there are elements to copy.
  struct Late {
    size_t launch;  // In launches.
    size_t output;  // The slot.
  };

  std::vector<const phi::KernelDef*> launches;
  std::vector<Late> late;  // Of a call with kernels of its own.
};

// `given` are the call's tensors before promotion, by slot. The explanation has
// an answer.
PredictedCall PredictedLaunches(const phi::selection::Explanation& explanation,
                                absl::Span<const TensorMeta* const> given,
                                const phi::KernelTable& kernels);

}  // namespace switchyard

#endif  // SWITCHYARD_TESTS_EXPLAIN_PREDICTED_LAUNCHES_H_
