// SPDX-License-Identifier: Apache-2.0
// LayoutFunction: how a kernel says in which layouts it takes its tensors.
#ifndef SWITCHYARD_PHI_CORE_KERNEL_LAYOUTS_H_
#define SWITCHYARD_PHI_CORE_KERNEL_LAYOUTS_H_

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/types/attribute.h"
#include "framework/types/layout_descriptor.h"
#include "framework/types/shape.h"

namespace switchyard::phi {

// The types and attributes of a call whose layouts are computed. Borrows all.
struct LayoutCall {
  // Indexed by slot; null where absent. For a kernel whose key says "blocked"
  // all extents are known except the batch (axis 0 of the first input), on
  // which layouts must not depend; for other kernels any may be unknown.
  absl::Span<const Shape* const> inputs;
  absl::Span<const AttrRef> attrs;
};

// The layouts of a call's tensors, by slot.
struct TensorLayouts {
  absl::InlinedVector<LayoutDescriptor, 4> inputs;
  absl::InlinedVector<LayoutDescriptor, 2> outputs;
};

// Says in which layouts a kernel takes its inputs and yields its outputs. A
// pure function: calls that are equal get the same answer for the life of the
// process. `layouts` has an entry for each tensor: at first those that the
// call's inputs have, and strided for the outputs. Every one that the kernel
// takes or yields otherwise is written. Called for calls that meet the kernel's
// conditions. An error refuses the kernel, for the reason that its message
// gives.
using LayoutFunction = absl::Status (*)(const LayoutCall& call,
                                        TensorLayouts* layouts);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_CORE_KERNEL_LAYOUTS_H_
