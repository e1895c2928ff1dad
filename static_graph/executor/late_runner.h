// SPDX-License-Identifier: Apache-2.0
// LateRunner: runs a plan whose shapes depend on elements that are computed or
// fed. Such a plan is cut into segments (specialize_block.h says where). A
// segment is specialized when the shapes and elements that it needs are known,
// and its specialization is kept for sizes that come a second time; all other
// sizes share one specialization, whose extents change (resizer.h). Values that
// cross a cut have memory of their own. Control flow runs here, block by block,
// if a carried value changes its shape or if a block fails for the shapes of
// the run. Values may be of any kind.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_LATE_RUNNER_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_LATE_RUNNER_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "static_graph/executor/packed_values.h"
#include "static_graph/executor/plan.h"
#include "static_graph/executor/recent_sizes.h"
#include "static_graph/executor/run_options.h"
#include "static_graph/executor/run_value.h"
#include "static_graph/executor/segment_input.h"
#include "static_graph/executor/shape_specialization.h"

namespace switchyard::static_graph {

// How much work was done that warm runs don't do; except for `kept` it only
// grows.
struct ExecutorCounts {
  int64_t specializations = 0;
  SpecializationCounts specializing;
  // Runs that gave a specialization other extents instead (resizer.h).
  int64_t resized = 0;
  int64_t frames = 0;  // Made, not reused.
  // Specializations that are remembered: of whole programs at most 64, of
  // segments at most 256. Those that were used longest ago are forgotten.
  int64_t kept = 0;
};

// Thread-safe.
class LateRunner {
 public:
  // Borrows both.
  LateRunner(const ProgramPlan* program, const PackedValues* packed);
  ~LateRunner();
  LateRunner(const LateRunner&) = delete;
  LateRunner& operator=(const LateRunner&) = delete;

  // Runs `block`, the program's body or a block inside. `values` is indexed by
  // ValueId and has the values that come from outside. The results may share
  // memory with them and with each other. Errors begin with the operator's
  // name.
  absl::StatusOr<std::vector<RunValue>> Run(const Plan& block,
                                            std::vector<RunValue> values,
                                            const RunOptions& options) const;

  ExecutorCounts counts() const;

 private:
  using Values = std::vector<RunValue>;
  using SegmentPlace = std::pair<const Plan*, int>;  // A block, its beginning.
  struct SegmentFrame;
  struct Segment;

  // Adds to `list`, unless it is null, and then makes the segment again.
  absl::StatusOr<std::shared_ptr<Segment>> Find(const Plan& block, int begin,
                                                const Values& values,
                                                StepList* list) const;
  // Returns the entry that is kept for `key`; null if there is none. Holds
  // mutex_.
  std::shared_ptr<Segment> FindKept(const SegmentPlace& place,
                                    const std::string& key) const;
  // Holds mutex_. Forgets the segment that was used longest ago if there are
  // too many.
  std::shared_ptr<Segment> Insert(std::string key,
                                  std::shared_ptr<Segment> made) const;
  // Gives a segment, which nobody else has, these inputs. False if that can't
  // be; then it is of no use.
  bool Resize(const Plan& block, absl::Span<const SegmentInput> inputs,
              Segment* segment) const;
  absl::StatusOr<std::unique_ptr<SegmentFrame>> TakeFrame(
      Segment* segment) const;
  absl::Status BindSegment(const Values& values, const RunOptions& options,
                           SegmentFrame* frame) const;
  absl::Status RunSegment(const std::shared_ptr<Segment>& segment,
                          const Plan& block, const RunOptions& options,
                          Values* values) const;
  absl::Status RunControl(const Instruction& control, const RunOptions& options,
                          Values* values) const;
  absl::StatusOr<Values> RunIf(const Instruction& control,
                               const RunOptions& options,
                               const Values& values) const;
  absl::StatusOr<Values> RunWhile(const Instruction& control,
                                  const RunOptions& options,
                                  const Values& values) const;
  // Runs block `number` of `control` over its `own` values and those that it
  // captures.
  absl::StatusOr<Values> RunBlock(const Instruction& control, int number,
                                  absl::Span<const RunValue> own,
                                  const RunOptions& options,
                                  const Values& around) const;

  const ProgramPlan& program_;
  const PackedValues& packed_;
  mutable std::mutex mutex_;
  // Guarded by mutex_, by the inputs that the segment was specialized for.
  mutable HashMap<std::string, std::shared_ptr<Segment>> segments_;
  // Indexed by place: the segment of sizes that came once; null while a run has
  // it.
  mutable HashMap<SegmentPlace, std::shared_ptr<Segment>> singles_;
  mutable RecentSizes recent_;
  mutable int64_t clock_ = 0;
  mutable ExecutorCounts counts_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_LATE_RUNNER_H_
