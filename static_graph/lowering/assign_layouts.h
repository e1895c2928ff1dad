// SPDX-License-Identifier: Apache-2.0
// AssignLayouts: lets values of a lowered program stay in the layouts that
// kernels chose, instead of going through a strided one between two kernels.
#ifndef SWITCHYARD_STATIC_GRAPH_LOWERING_ASSIGN_LAYOUTS_H_
#define SWITCHYARD_STATIC_GRAPH_LOWERING_ASSIGN_LAYOUTS_H_

#include "framework/base/status.h"
#include "static_graph/ir/program.h"
#include "static_graph/lowering/lower.h"

namespace switchyard::static_graph {

// Removes reorders from `program`, which Lower() made with the same table and
// options; returns whether it changed anything. Two kernels that take and yield
// the same layout hand it on. An operation between them whose kernel takes it
// too runs on it, if selection, asked with such inputs, gives it the kernel
// that it has: elementwise kernels do, and those whose layout function says so.
// Which operations do so is decided by the bytes of the reorders that are left,
// where an unknown extent counts as 1 and a constant nothing: it begins with
// all that can, and changes one at a time as long as that is no worse. So every
// kernel stays, and every bit of the results.
//
// Feeds, states and what crosses the border of a block stay strided. A state
// that a kernel wants in another layout is reordered when it has been written
// (static_graph/executor/packed_values.h), in each run if the program writes it
// or runs on a device.
absl::StatusOr<bool> AssignLayouts(ir::Program* program,
                                   const phi::KernelTable& table,
                                   const LoweringOptions& options);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_LOWERING_ASSIGN_LAYOUTS_H_
