// SPDX-License-Identifier: Apache-2.0
// ListOpen: the list of steps (step_list.h) of a program as far as it is known
// without extents. What a run does is decided when they are known, by
// specialize.h; this follows shapes and strides through a Plan and says of each
// call whether that may still change its answer, and what it depends on.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_STEP_LISTER_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_STEP_LISTER_H_

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/executor/plan.h"
#include "static_graph/executor/step_list.h"

namespace switchyard::static_graph {

// Lists the instructions of the program's body from `begin` on. `feeds` fit the
// plan's; their extents may be unknown. Errors are what InferMeta refuses, with
// the operator's name.
absl::StatusOr<StepList> ListOpen(const ProgramPlan& program,
                                  absl::Span<const Shape> feeds, int begin);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_STEP_LISTER_H_
