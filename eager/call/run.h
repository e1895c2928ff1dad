// SPDX-License-Identifier: Apache-2.0
// Run: the path of every eager call. Generated C++ functions, Python, calls by
// legacy name (eager/legacy) and the backward engine all call it; how a kernel
// is found and launched is phi/dispatch.
//
// In this order: in-place legality (before anything is written), copies of what
// an in-place call overwrites and its gradient needs, casts of promoted inputs
// where a gradient is needed, dispatch (or InferMeta and the
// composite, whose results are compared with what InferMeta said), version
// bump, and the grad node if grad mode is on, the operator has a gradient, and
// some differentiable input requires grad. An error leaves every input and
// output as it was.
//
// In-place calls are refused (FailedPrecondition) while grad mode is on
//   - on a leaf that requires grad, and on a view of one,
//   - on a tensor that shares memory with other views, if one of them requires
//     grad or the call would be recorded, where their gradients can't follow
//     (eager/call/view_graph.h says when they do);
// and always on a tensor whose elements share memory, as those of `expand`, on
// one with gaps where the operator has no variant that is not in place
// (ArgumentError), or when the result would have another dtype, shape or place.
#ifndef SWITCHYARD_EAGER_CALL_RUN_H_
#define SWITCHYARD_EAGER_CALL_RUN_H_

#include <vector>

#include "absl/types/span.h"
#include "eager/call/eager_op.h"
#include "eager/tensor/tensor.h"

namespace switchyard::eager {

// `attrs` are all attributes, in the order of OpInfo. `outputs` has an entry
// for each output (phi::LayOutOutputs) and is assigned only on success; an
// optional output that the operator does not yield stays undefined. Errors are
// annotated with the operator's name.
absl::Status Run(const EagerOp& op, const InputTensors& inputs,
                 absl::Span<const AttrRef> attrs, absl::Span<Tensor> outputs);

// Runs an operator whose number of outputs depends on the call (lists).
absl::Status Run(const EagerOp& op, const InputTensors& inputs,
                 absl::Span<const AttrRef> attrs, std::vector<Tensor>* outputs);

// Asks only for the outputs with `wanted[slot]` (the others may stay
// undefined): what the engine does with gradients.
absl::Status RunWanted(const EagerOp& op, const InputTensors& inputs,
                       absl::Span<const AttrRef> attrs,
                       absl::Span<const bool> wanted,
                       absl::Span<Tensor> outputs);

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_CALL_RUN_H_
