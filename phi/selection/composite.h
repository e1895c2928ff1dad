// SPDX-License-Identifier: Apache-2.0
// MatchComposite: may what an operator is composed of answer this call? The
// verdict is data, as MatchKernel()'s is (phi/selection/candidate.h).
#ifndef SWITCHYARD_PHI_SELECTION_COMPOSITE_H_
#define SWITCHYARD_PHI_SELECTION_COMPOSITE_H_

#include "phi/core/kernel_table.h"
#include "phi/selection/candidate.h"

namespace switchyard::phi::selection {

// The requirements of a composite, in the order in which they are checked.
enum class CompositeRequirement : uint8_t {
  kNone,     // Nothing is amiss.
  kDtype,    // The operator's entry documents the key dtype.
  kDecided,  // No kernel that comes before it is undecided.
  kKnown,    // All extents and attributes: its body may need one, which a
             // fallback of the whole does not.
  kParts,    // The parts have kernels on the call's device: one fallback of the
             // whole moves less than one of each part.
};

// Returns the composite that ends the row, if the query says that it may
// answer; else null. That of an operator that was made at run time is known to
// the caller alone: it is as one whose entry has no kernels, of parts that the
// table does not know.
const CompositeDef* CompositeOf(const OpKernels& op_kernels,
                                const Query& query);

// Checks the composite for a call that no kernel of the place answers;
// `undecided` says that some may. The last two requirements hold only where a
// fallback to the CPU follows. Requires a composite.
CompositeRequirement MatchComposite(const OpKernels& op_kernels,
                                    const Query& query, const Policy& policy,
                                    bool undecided);

// Returns that requirement, which is not met, in words.
Mismatch Describe(CompositeRequirement requirement, const OpKernels& op_kernels,
                  const Query& query);

// Returns true if `policy` prefers the composite to all kernels of the row.
inline bool PrefersComposite(const OpKernels& op_kernels,
                             const Policy& policy) {
  return policy.prefer != nullptr && policy.prefer->Compose(op_kernels.kernels);
}

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_COMPOSITE_H_
