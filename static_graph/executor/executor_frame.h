// SPDX-License-Identifier: Apache-2.0
// The records that Executor (executor.h) keeps of a signature and of a run.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_EXECUTOR_FRAME_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_EXECUTOR_FRAME_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "static_graph/executor/block_frame.h"
#include "static_graph/executor/executor.h"
#include "static_graph/executor/packed_values.h"
#include "static_graph/executor/resizer.h"
#include "static_graph/executor/state_aliasing.h"

namespace switchyard::static_graph {

// The memory, bound states and copies of one run, besides the specialization.
// Used by one run at a time; an executor keeps those that are idle for later.
struct Executor::Frame {
  // The signature that it is for; null while it lies in the `idle` of that.
  std::shared_ptr<Cached> cached;
  // Null until its specialization, which it has alone, is given other extents.
  std::unique_ptr<Resizer> resizer;
  FrameContexts contexts;             // Outlives `block`, which points into it.
  std::unique_ptr<BlockFrame> block;  // Null for a run by segments.
  BoundPackings packings;
  // Indexed by the plan's number of a state: its position in a State of this
  // layout.
  uint64_t state_layout = 0;
  std::vector<int> state_positions;
  StateAliasing updated;
  // The states of the current run.
  std::vector<DenseTensor> states;
  // One per fetch, then one per update: memory for a value that can't be handed
  // over as it is, allocated before the run so that nothing fails after it.
  // Empty if all can.
  std::vector<DenseTensor> copies;
};

// One signature.
struct Executor::Cached {
  // Its sizes have come once: it is not in the cache, one frame has it, and
  // gives it the next sizes that come once.
  bool single = false;
  absl::InlinedVector<Shape, 2> shapes;  // Of dynamic_feeds_.
  std::unique_ptr<ShapeSpecialization> specialization;
  std::vector<std::unique_ptr<Frame>> idle;  // Guarded by mutex_.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_EXECUTOR_FRAME_H_
