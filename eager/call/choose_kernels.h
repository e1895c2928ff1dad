// SPDX-License-Identifier: Apache-2.0
// ChooseKernels: whether kernels of an operator answer an eager call, or the
// operators that it is composed of. Private to eager/call.
#ifndef SWITCHYARD_EAGER_CALL_CHOOSE_KERNELS_H_
#define SWITCHYARD_EAGER_CALL_CHOOSE_KERNELS_H_

#include "absl/base/optimization.h"
#include "absl/types/span.h"
#include "eager/call/eager_op.h"

namespace switchyard::eager {

// A call as the choice reads it. Borrows all.
struct ChoiceArgs {
  const InputTensors& inputs;
  absl::Span<const AttrRef> attrs;
  const phi::ArgSegments& outputs;
  absl::Span<const bool> wanted;  // By output slot; empty: all.
  bool inplace;
  bool needs_grad;  // It is recorded, and some input requires grad.
};

// The kernels among which dispatch selects, null for the composite, and the
// operator's record, with InferMeta where there are kernels.
struct ChosenKernels {
  const phi::OpKernels* kernels;
  const phi::OpInfo* info;
};

// Does ChooseKernels() for an operator that has a composite.
ChosenKernels ChooseOrCompose(const EagerOp& op, const ChoiceArgs& args);

// Returns the kernels that may answer the call; none if the operator's
// composite does: there are no kernels, or its place among
// them says so (phi/selection/composes.h), or the call is recorded and the
// operator has no gradient but that of its composite.
inline ChosenKernels ChooseKernels(const EagerOp& op, const ChoiceArgs& args) {
  if (ABSL_PREDICT_TRUE(op.composite == nullptr)) {
    return {&op.slot->Get(), op.info};
  }
  return ChooseOrCompose(op, args);
}

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_CALL_CHOOSE_KERNELS_H_
