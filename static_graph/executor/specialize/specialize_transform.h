// SPDX-License-Identifier: Apache-2.0
// Adds transforms to the specialization of a block.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_TRANSFORM_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_TRANSFORM_H_

#include "framework/base/status.h"
#include "static_graph/executor/specialize/block_draft.h"

namespace switchyard::static_graph {

// Adds a transform that `call` needs for its argument in `transform.slot`, and
// replaces `tensor` by the transform's result.
absl::Status AddTransform(const phi::selection::Transform& transform,
                          const Instruction& call, StepRole role,
                          TensorId* tensor, BlockDraft* draft);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_TRANSFORM_H_
