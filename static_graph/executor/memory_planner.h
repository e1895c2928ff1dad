// SPDX-License-Identifier: Apache-2.0
// PlanMemory: the offsets of a program's temporaries in one block of memory. It
// knows sizes and lifetimes, not tensors; specialize.h decides before which
// tensors share memory (views, in-place).
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_MEMORY_PLANNER_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_MEMORY_PLANNER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"

namespace switchyard::static_graph {

// A block of bytes and the steps during which it lives.
struct MemoryRequest {
  int64_t bytes = 0;
  int first = 0;  // The step that writes it.
  int last = 0;   // The last step that reads it; not before `first`.
};

// Where the requested blocks lie; two that live at the same time never overlap.
struct MemoryLayout {
  std::vector<int64_t> offsets;  // By request; multiples of 64.
  int64_t bytes = 0;             // Of the whole block.
};

// Places the requests by best fit, in the order of `first`: what ends before a
// step begins is free for it. The same requests give the same layout. SizeError
// if the sum leaves int64.
absl::StatusOr<MemoryLayout> PlanMemory(
    absl::Span<const MemoryRequest> requests);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_MEMORY_PLANNER_H_
