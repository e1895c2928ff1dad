// SPDX-License-Identifier: Apache-2.0
// RunDetecting: a call that is checked for NaN and infinity that it makes of
// finite numbers. Run (eager/call/run.h) takes this way while the mode is on
// (eager/call/anomaly_mode.h).
#ifndef SWITCHYARD_EAGER_CALL_DETECT_ANOMALY_H_
#define SWITCHYARD_EAGER_CALL_DETECT_ANOMALY_H_

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "eager/call/eager_op.h"
#include "eager/tensor/tensor.h"
#include "framework/base/status.h"

namespace switchyard::eager {

// The results of a call, undefined where not wanted.
using OutputTensors = phi::ArgList<const Tensor>;

// Runs `call`, a call of `op` with these arguments, and compares the numbers
// that went in with the numbers that came out. Returns the errors of `call`, or
// an anomaly (phi/core/anomaly/anomaly.h) with the operator's name and without
// a place; tensors that the operator writes in place are written by then. Calls
// inside of a composite, or of an operator that is written in Python, are not
// checked: a composite may choose between finite and other numbers.
absl::Status RunDetecting(
    const EagerOp& op, const InputTensors& inputs,
    absl::Span<const AttrRef> attrs,
    absl::FunctionRef<absl::StatusOr<OutputTensors>()> call);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_CALL_DETECT_ANOMALY_H_
