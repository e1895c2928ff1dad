// SPDX-License-Identifier: Apache-2.0
// Writes down what specializing a block decides (step_list.h). Transforms are
// taken from the steps that were made: a reorder that nothing turned out to
// need is in neither. For drafts that have a list.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_LIST_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_LIST_H_

#include <vector>

#include "static_graph/executor/specialize/block_draft.h"

namespace switchyard::static_graph {

// Notes a launch whose kernel is chosen, before its inputs are transformed.
void NoteLaunch(const DraftLaunch& launch, BlockDraft* draft);

// Notes control flow with the lists of its blocks.
void NoteControl(const Instruction& control, std::vector<StepList> lists,
                 BlockDraft* draft);

// Notes the transforms of all noted calls and, if the program `runs` so, the
// steps that need not be repeated. Otherwise names the calls whose layout is
// not settled.
void FinishList(bool runs, BlockDraft* draft);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_LIST_H_
