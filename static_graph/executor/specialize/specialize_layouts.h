// SPDX-License-Identifier: Apache-2.0
// Results in other layouts than strided while a block is specialized. A result
// whose layout was chosen here stays as it is until something wants it strided:
// what lowering does where it knows the extents
// (static_graph/lowering/assign_layouts.h), here from producers on. Kernels are
// chosen as for strided tensors, so the bits are the same.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_LAYOUTS_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_LAYOUTS_H_

#include <cstddef>

#include "framework/base/status.h"
#include "static_graph/executor/specialize/block_draft.h"

namespace switchyard::static_graph {

// The layout in which the kernel of `launch` yields an output.
LayoutDescriptor OutputLayout(const BlockDraft& draft,
                              const DraftLaunch& launch, size_t slot);

// Remembers the results of a kernel that was chosen here: the program takes
// them for strided ones.
void RememberYielded(const DraftLaunch& launch, BlockDraft* draft);

// Gives the value its strided tensor, in a new step if it has none.
absl::Status Settle(ValueId value, BlockDraft* draft);
// So for all that `instruction` reads, in blocks too.
absl::Status SettleOperands(const Instruction& instruction, BlockDraft* draft);

// Lets `launch`, whose kernel is chosen, read such results as they are where
// its kernel takes them; gives it strided ones otherwise.
absl::Status SettleInputs(DraftLaunch* launch, BlockDraft* draft);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_LAYOUTS_H_
