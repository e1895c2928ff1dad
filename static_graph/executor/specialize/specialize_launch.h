// SPDX-License-Identifier: Apache-2.0
// Adds launches to the specialization of a block: finds the kernel of each, its
// operands and its results.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_LAUNCH_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_LAUNCH_H_

#include "framework/base/status.h"
#include "static_graph/executor/specialize/block_draft.h"

namespace switchyard::static_graph {

// Adds `instruction`, a launch whose operands are there, with the transforms
// that its kernel needs. Its errors name the argument, not the operator.
absl::Status AddLaunch(const Instruction& instruction, BlockDraft* draft);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_LAUNCH_H_
