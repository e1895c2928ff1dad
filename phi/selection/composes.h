// SPDX-License-Identifier: Apache-2.0
// Composes: where the composite of an operator stands among its kernels. Eager
// calls, lowering and explain all ask it, so they can't disagree.
#ifndef SWITCHYARD_PHI_SELECTION_COMPOSES_H_
#define SWITCHYARD_PHI_SELECTION_COMPOSES_H_

#include "phi/core/kernel_table.h"
#include "phi/selection/policy.h"
#include "phi/selection/preferences.h"
#include "phi/selection/query.h"

namespace switchyard::phi::selection {

// Returns true if `policy` prefers the composite of an operator to the kernels
// that it has.
inline bool PrefersComposite(const OpKernels& op_kernels,
                             const Policy& policy) {
  return policy.prefer != nullptr && policy.prefer->Compose(op_kernels.kernels);
}

// Returns whether a call runs as the operator's composite and not by one of its
// kernels. The composite comes after the kernels of the call's place and those
// that make views (phi/selection/selection.h), and before a fallback to the
// CPU, which would move tensors that the parts need not move; before all of
// them if the policy prefers it (phi/selection/preferences.h). A kernel whose
// conditions are undecided (a Dim is unknown) does not outrank it. Pure, as
// Select() is.
bool Composes(const OpKernels& op_kernels, const Query& query,
              const Policy& policy);

// Returns that of an operator which the binary has kernels of, beside its
// composite. It stands at the same place, with two differences: it admits the
// dtypes that some kernel has, and where the policy allows a fallback to the
// CPU, the parts must have kernels on the call's device
// (phi/selection/composite_parts.h), else one fallback of the whole moves less
// than one of each part. A kernel whose conditions are undecided is kept. What
// a policy prefers is the caller's question (PrefersComposite). A fallback
// takes extents and attributes that are not known yet, as a composite may not:
// it is chosen where some are unknown.
bool ComposesBeforeFallback(const OpKernels& op_kernels, const Query& query,
                            const Policy& policy, const KernelTable& table);

// Returns `policy` as it holds for the kernels that come before the composite.
Policy BeforeComposite(const Policy& policy);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_COMPOSES_H_
