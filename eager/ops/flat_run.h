// SPDX-License-Identifier: Apache-2.0
// FlatRun: the body of generated eager functions for operators with lists. All
// others call Run (eager/call/run.h) themselves.
#ifndef SWITCHYARD_EAGER_OPS_FLAT_RUN_H_
#define SWITCHYARD_EAGER_OPS_FLAT_RUN_H_

#include "absl/types/span.h"
#include "eager/call/eager_op.h"
#include "eager/tensor/tensor.h"
#include "phi/core/arg_buffer.h"

namespace switchyard::eager {

// Calls Run() and returns its outputs by argument. Throws OpError.
phi::ArgBuffer<Tensor> FlatRun(const EagerOp& op,
                               const phi::ArgBuffer<const Tensor*>& inputs,
                               absl::Span<const AttrRef> attrs);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_OPS_FLAT_RUN_H_
