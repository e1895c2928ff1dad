// SPDX-License-Identifier: Apache-2.0
// FeedCheck: whether the tensors of a run agree with its plan.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_FEED_CHECK_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_FEED_CHECK_H_

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/executor/plan.h"
#include "static_graph/executor/run_value.h"

namespace switchyard::static_graph {

// ArgumentError unless `tensor` is one of `port` on `place`; it names the port
// as `what`, "feed" or "state".
absl::Status CheckTensor(const char* what, const ProgramPlan::Port& port,
                         Place place, const TensorBase& tensor);

// Checks the feeds of runs of one plan. Errors name the feed.
class FeedCheck {
 public:
  // Borrows the plan, whose feeds are there.
  explicit FeedCheck(const ProgramPlan* plan);

  // ArgumentError for another number of feeds, or one of another dtype, kind,
  // shape or place; also where two extents differ that must be equal.
  absl::Status Check(absl::Span<const RunValue> feeds) const;
  // Checks shapes likewise; they need not be known.
  absl::Status CheckShapes(absl::Span<const Shape> feeds) const;

 private:
  const ProgramPlan& plan_;
  bool symbolic_ = false;  // Extents of feeds may have to be equal.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_FEED_CHECK_H_
