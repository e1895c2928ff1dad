// SPDX-License-Identifier: Apache-2.0
// Calls on a device without a kernel for them, while a block is specialized.
// Lowering saw some of them, and the program copies around them; the others are
// decided by extents, and their copies are made here.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_FALLBACKS_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_FALLBACKS_H_

#include <cstddef>

#include "framework/base/status.h"
#include "static_graph/executor/specialize/block_draft.h"

namespace switchyard::static_graph {

// Whether an instruction is a call that lowering saw fall back, or a copy for
// one.
bool IsFallback(const BlockDraft& draft, const Instruction& instruction);

// Copies the results of `launch`, which the extents let fall back, to where
// they belong.
absl::Status ReturnFromHost(const DraftLaunch& launch, BlockDraft* draft);

// Says of the steps from `first` on, which are such a launch, that they are
// there for that.
void MarkFallback(size_t first, BlockDraft* draft);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_FALLBACKS_H_
