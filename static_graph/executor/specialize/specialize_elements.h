// SPDX-License-Identifier: Apache-2.0
// Elements of tensors that are known while a block is specialized: the
// attributes that values supply, and the launches that compute such values from
// shapes, which run here, once.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_ELEMENTS_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_ELEMENTS_H_

#include "framework/base/status.h"
#include "static_graph/executor/specialize/block_draft.h"

namespace switchyard::static_graph {

// Reads the attributes of `launch`. What values supply must be known.
absl::Status SettleAttributes(DraftLaunch* launch, BlockDraft* draft);

// Whether `launch`, whose kernel is chosen and whose outputs have tensors, can
// run now, and gives elements that decide shapes.
bool CanEvaluate(const BlockDraft& draft, const DraftLaunch& launch);

// Runs the kernel of `step` now, over memory of its own; the step runs it again
// where something reads the result.
absl::Status Evaluate(const DraftLaunch& launch, const Step& step,
                      BlockDraft* draft);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_ELEMENTS_H_
