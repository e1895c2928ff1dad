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
// the same layout hand it on. An operation between them whose kernel treats all
// elements alike (KernelDef::keeps_layout) runs on it too, if selection, asked
// with such inputs, gives it the kernel that it has. Which operations do so is
// decided by the bytes of the reorders that are left: it begins with all that
// can, and changes one at a time as long as that is no worse. So every kernel
// stays, and every bit of the results.
//
// Values of unknown shape, and what crosses the border of a block, stay
// strided.
absl::StatusOr<bool> AssignLayouts(ir::Program* program,
                                   const phi::KernelTable& table,
                                   const LoweringOptions& options);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_LOWERING_ASSIGN_LAYOUTS_H_
