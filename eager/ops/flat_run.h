// SPDX-License-Identifier: Apache-2.0
// FlatRun: the body of generated eager functions for operators with lists. All
// others call Run (eager/run.h) themselves.
#ifndef SWITCHYARD_EAGER_OPS_FLAT_RUN_H_
#define SWITCHYARD_EAGER_OPS_FLAT_RUN_H_

#include "absl/types/span.h"
#include "eager/eager_op.h"
#include "eager/tensor.h"
#include "phi/api/flat_inputs.h"
#include "phi/api/flat_results.h"

namespace switchyard::eager {

// Run(), its outputs told apart. Throws OpError.
phi::api::FlatResults<Tensor> FlatRun(
    const EagerOp& op, const phi::api::FlatInputs<Tensor>& inputs,
    absl::Span<const AttrRef> attrs);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_OPS_FLAT_RUN_H_
