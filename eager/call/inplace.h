// SPDX-License-Identifier: Apache-2.0
// Checks whether an in-place call is legal as far as gradients are concerned,
// before anything is written. phi/dispatch checks dtype, shape and place,
// before writing too. The rules are in eager/call/run.h.
#ifndef SWITCHYARD_EAGER_CALL_INPLACE_H_
#define SWITCHYARD_EAGER_CALL_INPLACE_H_

#include "eager/call/eager_op.h"
#include "eager/tensor/tensor.h"

namespace switchyard::eager {

// Checks the call. `needs_grad`: grad mode is on and some input requires grad.
// The error names operator and argument.
absl::Status CheckInplace(const EagerOp& op, const InputTensors& inputs,
                          bool needs_grad);

// Checks whether `target` may be overwritten by the result of a recorded
// operator on it (TakeGraphOf), as an in-place call would.
absl::Status CheckBecome(const Tensor& target);

// Gives `target`, whose memory has the elements of `result` now, the place of
// `result` in the graph. As after an in-place call, hooks stay with the old
// value, and a gradient that is kept goes on to be.
void TakeGraphOf(const Tensor& result, const Tensor& target);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_CALL_INPLACE_H_
