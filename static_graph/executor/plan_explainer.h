// SPDX-License-Identifier: Apache-2.0
// ExplainPlan says why each call of a program has the kernel that it has, or
// which candidates are left until shapes are known. It asks
// phi/selection/explain.h for every instruction of a Plan, and follows shapes
// and strides through the plan as far as they are known. The
// ShapeSpecialization of known shapes (specialize.h) makes the same choices,
// which tests compare.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_PLAN_EXPLAINER_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_PLAN_EXPLAINER_H_

#include <string>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/core/kernel_table.h"
#include "static_graph/executor/plan.h"

namespace switchyard::static_graph {

// Lines for people, or a list in JSON: an object of phi/selection/explain.h for
// each call, in which "location" says where its operation comes from (null: not
// known), "blocks" names the branches and loops around it, outermost first, and
// "relaxed" is the text of the program's choices.
enum class ExplanationForm { kText, kJson };

// Returns one explanation per call, in the order in which they run. Transforms
// have none of their own: they stand in the call that needs them. Each says
// where its operation comes from (static_graph/ir/location.h). The calls of
// branches and loops follow a line that names the block. The first line of a
// text says what the program relaxes (static_graph/lowering/relaxed_choices.h),
// if it is not exact. `feeds` fit the
// plan's; their extents may be unknown. `kernels` is the table that the program
// was lowered with. Returns an ArgumentError for shapes that don't fit, and
// what InferMeta refuses with the operator's name.
absl::StatusOr<std::string> ExplainPlan(const ProgramPlan& program,
                                        const phi::KernelTable& kernels,
                                        absl::Span<const Shape> feeds,
                                        ExplanationForm form);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_PLAN_EXPLAINER_H_
