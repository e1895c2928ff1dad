// SPDX-License-Identifier: Apache-2.0
// Composes: where the composite of an operator stands among its kernels. Eager
// calls, lowering and explain all ask it, so they can't disagree.
#ifndef SWITCHYARD_PHI_SELECTION_COMPOSES_H_
#define SWITCHYARD_PHI_SELECTION_COMPOSES_H_

#include "phi/core/kernel_table.h"
#include "phi/selection/policy.h"
#include "phi/selection/query.h"

namespace switchyard::phi::selection {

// Returns whether the operators that an operator is composed of answer a call,
// and none of its kernels. The composite comes after the kernels of the call's
// place and those that make views (phi/selection/selection.h), and before a
// fallback to the CPU, which would move tensors that the parts need not move;
// before all of them where the policy prefers it
// (phi/selection/preferences.h). A kernel whose conditions are undecided (a Dim
// is unknown) does not outrank it. Pure, as Select() is.
bool Composes(const OpKernels& op_kernels, const Query& query,
              const Policy& policy);

// Returns `policy` as it holds for the kernels that come before the composite.
Policy BeforeComposite(const Policy& policy);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_COMPOSES_H_
