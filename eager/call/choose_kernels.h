// SPDX-License-Identifier: Apache-2.0
// ChooseKernels: whether kernels of an operator answer an eager call, or the
// operators that it is composed of. Private to eager/call.
#ifndef SWITCHYARD_EAGER_CALL_CHOOSE_KERNELS_H_
#define SWITCHYARD_EAGER_CALL_CHOOSE_KERNELS_H_

#include "absl/base/optimization.h"
#include "eager/call/eager_op.h"

namespace switchyard::eager {

// The kernels among which dispatch selects, which may choose the composite that
// ends their row; null where the composite alone is in question. And the
// operator's record, with InferMeta where there are kernels.
struct ChosenKernels {
  const phi::OpKernels* kernels;
  const phi::OpInfo* info;
};

// Does ChooseKernels() for an operator that has a composite.
ChosenKernels ChooseOrCompose(const EagerOp& op, bool inplace, bool needs_grad);

// Returns the kernels that may answer the call. None if the operator's row is
// nothing but its composite, which needs no query; or if the call is recorded,
// some input requires grad (`needs_grad`) and the operator has no gradient but
// that of its composite.
inline ChosenKernels ChooseKernels(const EagerOp& op, bool inplace,
                                   bool needs_grad) {
  if (ABSL_PREDICT_TRUE(op.composite == nullptr)) {
    return {&op.slot->Get(), op.info};
  }
  return ChooseOrCompose(op, inplace, needs_grad);
}

}  // namespace switchyard::eager

#endif  // SWITCHYARD_EAGER_CALL_CHOOSE_KERNELS_H_
