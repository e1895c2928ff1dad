// SPDX-License-Identifier: Apache-2.0
// TextOf: why each call of a program has the kernel that it has, or which
// candidates are left until shapes are known: a list of steps (step_list.h)
// with the course of each selection (phi/selection/explain.h).
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_STEP_LIST_TEXT_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_STEP_LIST_TEXT_H_

#include <string>

#include "static_graph/executor/plan.h"
#include "static_graph/executor/step_list.h"

namespace switchyard::static_graph {

// Lines for people, or a list in JSON: an object of phi/selection/explain.h for
// each call, in which "location" says where its operation comes from (null: not
// known), "blocks" names the branches and loops around it, outermost first,
// "relaxed" is the text of the program's choices, "open" lists what the answer
// still depends on, "kept" says whether the call is not repeated from run to
// run (null: a run by segments tells), "together" names the other calls of one
// step, "in_place" the inputs of a concatenation that are not copied, and
// "steps" has the transforms that run for it, each with its kernel, the
// argument, bytes that it writes (null: not known), whether it is kept, and
// whether it is launched: not without elements.
enum class ExplanationForm { kText, kJson };

// Returns one explanation per call, in the order in which they run. Transforms
// have none of their own: they stand in the call that needs them. Each says
// where its operation comes from (static_graph/ir/location.h). The calls of
// branches and loops follow a line that names the block. The first line of a
// text says what the program relaxes (static_graph/lowering/relaxed_choices.h),
// if it is not exact.
std::string TextOf(const StepList& list, const ProgramPlan& program,
                   ExplanationForm form);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_STEP_LIST_TEXT_H_
