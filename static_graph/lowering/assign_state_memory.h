// SPDX-License-Identifier: Apache-2.0
// AssignStateMemory: operators that must write over their inputs (sgd_: trait
// kInplaceOnly) are pure in the dialect `op`: old state in, new state out. Here
// each gets memory to write. In-place that is merely possible (relu) is the
// in-place pass's matter (static_graph/passes).
//
// A run that fails must leave State as it was. So an operator may write into
// the state's own memory only where nothing can fail any more: in the tail of
// the program, which consists of optimizer steps only; their kernels read no
// index and allocate nothing, so once their shapes are checked they succeed.
// Steps whose results are only returned are moved there. Everywhere else the
// operator works on a copy, and the executor copies the new value to State when
// the whole run succeeded.
#ifndef SWITCHYARD_STATIC_GRAPH_LOWERING_ASSIGN_STATE_MEMORY_H_
#define SWITCHYARD_STATIC_GRAPH_LOWERING_ASSIGN_STATE_MEMORY_H_

#include "framework/base/status.h"
#include "static_graph/ir/program.h"
#include "static_graph/lowering/call_transforms.h"

namespace switchyard::static_graph {

// Sets the attribute `inplace` of every kernel.<operator> of that kind in
// `program`, which is lowered otherwise; `transforms` knows its values.
absl::Status AssignStateMemory(ir::Program* program,
                               CallTransforms* transforms);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_LOWERING_ASSIGN_STATE_MEMORY_H_
