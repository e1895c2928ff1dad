// SPDX-License-Identifier: Apache-2.0
// BuildPlan: flattens a program of the dialect `kernel` (what
// static_graph/lowering makes, after its passes) into a ProgramPlan. Symbols of
// kernels become pointers here, for good: a plan keeps the table that it was
// lowered with.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_PLAN_BUILDER_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_PLAN_BUILDER_H_

#include "framework/base/status.h"
#include "phi/core/kernel_table.h"
#include "static_graph/executor/plan.h"
#include "static_graph/ir/program.h"
#include "static_graph/lowering/lower.h"

namespace switchyard::static_graph {

// `table` and `options` are those of Lower(). The plan refers to the table's
// kernels and to the operators' constant data, and to nothing of the program.
// Errors: NotFound for a kernel that `table` lacks, InvalidArgument for an
// operation that is not lowered, Unimplemented for feeds and states that are
// not dense and for places other than the CPU, TypeError for a fetch or a new
// state that is not dense.
absl::StatusOr<ProgramPlan> BuildPlan(const ir::Program& program,
                                      const phi::KernelTable& table,
                                      const LoweringOptions& options = {});

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_PLAN_BUILDER_H_
