// SPDX-License-Identifier: Apache-2.0
// LaunchReordered: a kernel that chooses layouts, run alone.
#ifndef SWITCHYARD_PHI_KERNELS_TESTING_REORDERED_LAUNCH_H_
#define SWITCHYARD_PHI_KERNELS_TESTING_REORDERED_LAUNCH_H_

#include "framework/base/status.h"
#include "phi/core/kernel_context.h"
#include "phi/core/kernel_def.h"

namespace switchyard::phi::kernels {

// Returns a tensor of the same dtype, shape and place in another layout.
absl::StatusOr<DenseTensor> EmptyLike(const DenseTensor& x,
                                      LayoutDescriptor layout);

// Runs a kernel that chooses the layouts of its tensors, with the transforms
// that selection would put around it, by the reference kernel of reorder.
// Requires dense tensors, the outputs allocated; a tensor may be null. The
// kernel gets its first input in the layout `given`, if it takes that. Internal
// if it leaves anything but zeros where a result is padded.
absl::Status LaunchReordered(const KernelDef& kernel,
                             const ArgList<const TensorBase* const>& inputs,
                             absl::Span<const AttrRef> attrs,
                             const ArgList<TensorBase* const>& outputs,
                             LayoutDescriptor given = {});

}  // namespace switchyard::phi::kernels

#endif  // SWITCHYARD_PHI_KERNELS_TESTING_REORDERED_LAUNCH_H_
