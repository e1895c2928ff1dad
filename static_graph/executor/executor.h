// SPDX-License-Identifier: Apache-2.0
// Executor: runs a ProgramPlan (plan.h). It is immutable except for three
// caches that no result depends on: a specialization for each set of shapes
// that came again (shape_specialization.h), idle frames of each
// (block_frame.h), and weights in the layouts that kernels want
// (packed_values.h). Shapes that come once take turns with a specialization,
// whose extents change (resizer.h). For programs in the IR there
// is static_graph/program/executable.h, which is built on this.
//
// Where shapes depend on elements that are computed or fed, the program runs by
// segments, each specialized when the shapes that it needs are known
// (late_runner.h).
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_EXECUTOR_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_EXECUTOR_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/executor/feed_check.h"
#include "static_graph/executor/frame_cache.h"
#include "static_graph/executor/late_runner.h"
#include "static_graph/executor/packed_values.h"
#include "static_graph/executor/plan.h"
#include "static_graph/executor/planned_memory.h"
#include "static_graph/executor/run_options.h"
#include "static_graph/executor/run_value.h"
#include "static_graph/executor/shape_specialization.h"
#include "static_graph/executor/state.h"
#include "static_graph/executor/step_list.h"

namespace switchyard::static_graph {

// Thread-safe. A frame serves one run at a time, so threads run side by side,
// each with its own team of threads inside kernels.
class Executor {
 public:
  explicit Executor(ProgramPlan plan);
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  const ProgramPlan& plan() const { return plan_; }

  // Runs the program once. `feeds` are in the order of the plan's; strided ones
  // are copied. `state` may be null for a program without states. `fetches`
  // gets contiguous or strided tensors with memory that nobody else writes; one
  // that is not dense may share its parts with a feed or another fetch, as the
  // result of an operator does with what it was given.
  //
  // Everything that can be checked is checked first: dtypes, shapes and places
  // of feeds and states (errors name them), and that no state that is updated
  // shares memory with another; a feed that does is copied. States change only
  // if the whole run succeeded; after an error they have the bits that they
  // had, unless options.asynchronous (run_options.h), or memory for the copy of
  // a fetch is missing after a run by segments. On a device the work goes to
  // the calling thread's current stream.
  absl::Status Run(absl::Span<const RunValue> feeds, State* state,
                   std::vector<RunValue>* fetches,
                   const RunOptions& options = {}) const;

  // Returns what a run does with feeds of these shapes, whose extents may be
  // unknown. An answer that depends on unknown extents or elements is open in
  // the list. Makes a specialization of its own, which runs don't use.
  // ArgumentError for shapes that don't fit the plan's; errors of InferMeta
  // begin with the operator's name.
  absl::StatusOr<StepList> Steps(absl::Span<const Shape> feeds) const;
  // Returns the memory that a run with feeds of these shapes plans; nothing
  // where it can't be planned at once: extents are not known, depend on
  // elements, or a call refuses them. ArgumentError for shapes that don't fit.
  absl::StatusOr<std::optional<PlannedMemory>> Memory(
      absl::Span<const Shape> feeds) const;
  // Runs by segments, over copies of the states that a run writes, and returns
  // the calls in the order in which they were made. Control flow with shapes
  // that depend on elements is listed by the blocks that were entered, each
  // time; other control flow is one call, with all its blocks. Errors are
  // Run()'s.
  absl::StatusOr<StepList> StepsOfRun(absl::Span<const RunValue> feeds,
                                      const State* state,
                                      const RunOptions& options = {}) const;

  // Returns what runs have cost so far, and how many specializations are kept.
  ExecutorCounts counts() const;

 private:
  const ProgramPlan plan_;
  const PackedValues packed_;
  const std::unique_ptr<const LateRunner> late_;  // Borrows both.
  const FeedCheck check_;
  mutable FrameCache cache_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_EXECUTOR_H_
