// SPDX-License-Identifier: Apache-2.0
// Checks whether an in-place call is legal as far as gradients are concerned,
// before anything is written. phi/dispatch checks dtype, shape and place,
// before writing too. The rules are in eager/call/run.h.
#ifndef SWITCHYARD_EAGER_CALL_INPLACE_H_
#define SWITCHYARD_EAGER_CALL_INPLACE_H_

#include "eager/call/cast_inputs.h"
#include "eager/call/eager_op.h"
#include "eager/tensor/tensor.h"

namespace switchyard::eager {

// Checks the call. `needs_grad`: grad mode is on and some input requires grad.
// The error names operator and argument.
absl::Status CheckInplace(const EagerOp& op, const InputTensors& inputs,
                          bool needs_grad);

// Replaces each input that a recorded call writes and that its gradient needs
// by a copy, which the call reads and saves.
absl::Status KeepOverwritten(const EagerOp& op, CallInputs* inputs);

// Returns what the kernel of an in-place call writes: a tensor over the memory
// of `target`, or over some of its own where there are gaps between the
// elements of `target`.
absl::StatusOr<Tensor> InplaceResult(const Tensor& target);

// Makes `*result`, of InplaceResult() and written by now, `target`: its
// elements are there, and its version has moved on.
void FinishInplace(const Tensor& target, Tensor* result);

// Makes what a composite made for an in-place call what InplaceResult() returns
// for the inputs that it writes, with its elements, once all of these are known
// to hold them: dtype, shape and place. Errors: those of phi::CheckHolds(),
// with the operator; ResourceExhausted; what the device reports.
absl::Status WriteComposed(const EagerOp& op, const InputTensors& inputs,
                           const phi::ArgList<Tensor>& results);

// Checks whether `target` may be overwritten, as an in-place call would: by the
// result of a recorded operator on it (TakeGraphOf), or by constants.
absl::Status CheckBecome(const Tensor& target, bool recorded);

// Gives `target`, whose memory has the elements of `result` now, the node of
// `result`. As after an in-place call, hooks stay with the old value,
// RetainGrad() stays in effect, and views of `target` follow.
void TakeGraphOf(const Tensor& result, const Tensor& target);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_CALL_INPLACE_H_
