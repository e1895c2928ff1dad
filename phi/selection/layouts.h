// SPDX-License-Identifier: Apache-2.0
// ComputeLayouts: in which layouts a kernel takes and yields the tensors of a
// call. Private to phi/selection; phi/selection/candidate.h makes transforms of
// it.
#ifndef SWITCHYARD_PHI_SELECTION_LAYOUTS_H_
#define SWITCHYARD_PHI_SELECTION_LAYOUTS_H_

#include "phi/core/kernel_def.h"
#include "phi/selection/conditions.h"

namespace switchyard::phi::selection {

// Fills `layouts`, by slot, for a call that meets all other requirements of
// `def`. False if the kernel refuses the call, undecided while a shape is
// unknown that the layouts depend on.
Tristate ComputeLayouts(const KernelDef& def, const Query& query,
                        TensorLayouts* layouts);

// Returns true if some tensor of the call is not in the layout that `layouts`
// names, or some result is not strided.
bool NeedsReorders(const Query& query, const TensorLayouts& layouts);

// Returns why a kernel that ComputeLayouts() did not let through, or that needs
// reorders where the policy forbids transforms, does not serve the call.
Mismatch DescribeLayouts(const KernelDef& def, const Query& query);

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_PHI_SELECTION_LAYOUTS_H_
