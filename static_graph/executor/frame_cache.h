// SPDX-License-Identifier: Apache-2.0
// FrameCache: the specializations and frames that an executor keeps from run to
// run.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_FRAME_CACHE_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_FRAME_CACHE_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/executor/late_runner.h"
#include "static_graph/executor/recent_sizes.h"
#include "static_graph/executor/run_frame.h"

namespace switchyard::static_graph {

// The sizes of a run's feeds, with the specialization for them.
struct RunSignature {
  // Its sizes have come once: it is not in the cache, one frame has it, and
  // gives it the next sizes that come once.
  bool single = false;
  absl::InlinedVector<Shape, 2> shapes;  // Of feeds whose extents are open.
  std::unique_ptr<ShapeSpecialization> specialization;
  std::vector<std::unique_ptr<RunFrame>> idle;  // Guarded by the cache.
};

// Thread-safe. Feeds fit the plan's.
class FrameCache {
 public:
  // Borrows the plan.
  explicit FrameCache(const ProgramPlan* plan);
  ~FrameCache();
  FrameCache(const FrameCache&) = delete;
  FrameCache& operator=(const FrameCache&) = delete;

  // Takes the frame of the run before, without a lock, if it is for these
  // sizes; null otherwise.
  std::unique_ptr<RunFrame> TakeLast(absl::Span<const RunValue> feeds);
  // Finds or makes the signature for these sizes, and takes one of its idle
  // frames if it has any: both under one lock.
  absl::StatusOr<std::shared_ptr<RunSignature>> Find(
      absl::Span<const RunValue> feeds, std::unique_ptr<RunFrame>* idle);
  absl::StatusOr<std::unique_ptr<RunFrame>> MakeFrame(
      const RunSignature& signature);
  // Keeps a frame for later runs. Allocates nothing.
  void Keep(std::unique_ptr<RunFrame> frame);

  void AddCounts(ExecutorCounts* counts) const;

 private:
  // Returns true if `signature` is that of these feeds.
  bool IsFor(absl::Span<const RunValue> feeds,
             const RunSignature& signature) const;
  void KeepIdle(std::unique_ptr<RunFrame> frame);
  // Looks among what is kept; null if there is nothing for these sizes. Holds
  // mutex_.
  std::shared_ptr<RunSignature> FindKept(absl::Span<const RunValue> feeds,
                                         std::unique_ptr<RunFrame>* idle);
  void Insert(std::shared_ptr<RunSignature> made);  // Holds mutex_.
  // Gives the frame's specialization, which it has alone, these shapes. False
  // if that can't be; then the frame is of no use.
  bool Resize(absl::Span<const Shape> shapes, RunFrame* frame) const;

  const ProgramPlan& plan_;
  // The feeds with an unknown Dim: a signature consists of their shapes.
  std::vector<int> dynamic_feeds_;
  // The frame of a run that has ended, which the next run mostly wants; owned.
  // Its specialization may have left the cache since.
  std::atomic<RunFrame*> last_{nullptr};
  mutable std::mutex mutex_;
  // Guarded by mutex_; those that were looked up last come first.
  std::vector<std::shared_ptr<RunSignature>> cache_;
  // Frames whose specialization nothing else holds, and the sizes that came
  // once.
  std::vector<std::unique_ptr<RunFrame>> singles_;
  RecentSizes recent_;
  ExecutorCounts counts_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_FRAME_CACHE_H_
