// SPDX-License-Identifier: Apache-2.0
// RunFrame: the memory, bound states and copies of one run of a program.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_RUN_FRAME_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_RUN_FRAME_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/executor/frame/block_frame.h"
#include "static_graph/executor/packed_values.h"
#include "static_graph/executor/plan.h"
#include "static_graph/executor/resizer.h"
#include "static_graph/executor/run_options.h"
#include "static_graph/executor/run_value.h"
#include "static_graph/executor/state.h"
#include "static_graph/executor/state_aliasing.h"

namespace switchyard::static_graph {

struct RunSignature;  // frame_cache.h

// Holds a run's own data, the specialization apart. Used by one run at a time;
// a FrameCache keeps those that are idle for later.
struct RunFrame {
  // The signature that it is for; null while it lies in the `idle` of that.
  std::shared_ptr<RunSignature> signature;
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

// Finds the states of the plan in `state`, which may be null if there are none.
// ArgumentError for one that is missing or does not fit, or shares memory with
// one that is updated.
absl::Status BindStates(const ProgramPlan& plan, const State* state,
                        RunFrame* frame);

// Binds and allocates all that a run of the frame's block needs. Its states are
// bound.
absl::Status PrepareRun(const ProgramPlan& plan, const PackedValues& packed,
                        absl::Span<const RunValue> feeds,
                        const RunOptions& options, RunFrame* frame);

// Hands out the fetches of a run and writes its states. On the host nothing
// here fails except for want of memory for fetches that are not dense; all
// other memory is there, the list's too.
absl::Status CommitRun(const ProgramPlan& plan, RunFrame* frame,
                       std::vector<RunValue>* fetches);

// ArgumentError for a new state whose extents are not the state's.
absl::Status CheckUpdate(const ProgramPlan& plan,
                         const ProgramPlan::Update& update,
                         const RunFrame& frame, const Shape& value);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_RUN_FRAME_H_
