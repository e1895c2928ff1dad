// SPDX-License-Identifier: Apache-2.0
// NoteCalls: the call that each transform of a block belongs to.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_NOTE_CALLS_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_NOTE_CALLS_H_

#include "static_graph/executor/plan.h"

namespace switchyard::static_graph {

// Sets role, slot and call of each transform in `block`, one of `program`: it
// is made for the first call that reads its result, or for the call whose
// result it takes.
void NoteCalls(const ProgramPlan& program, Plan* block);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_NOTE_CALLS_H_
