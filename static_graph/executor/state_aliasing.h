// SPDX-License-Identifier: Apache-2.0
// StateAliasing: the memory of the states that a program updates.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_STATE_ALIASING_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_STATE_ALIASING_H_

#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "static_graph/executor/plan.h"
#include "static_graph/executor/run_value.h"

namespace switchyard::static_graph {

// Knows where the states lie that a program updates. A run writes that memory
// before its results are all read, so nothing else may lie in it: two states
// that share memory are an error, a feed that does is copied first. States that
// are only read may share theirs (tied weights). Belongs to one frame.
class StateAliasing {
 public:
  // Takes the plan's states for the next run, in its order. ArgumentError if
  // one that is updated lies in memory of another. Where all lie as at the last
  // call it only compares addresses.
  absl::Status Bind(const ProgramPlan& plan,
                    absl::Span<const DenseTensor> states);

  // Returns true if part of the dense `tensor` lies in an updated state.
  bool Overlaps(const DenseTensor& tensor) const {
    return !updated_.empty() && LiesIn(tensor);
  }
  // As above, of a tensor of another kind.
  bool OverlapsPart(const TensorBase& tensor) const;

 private:
  struct Range {
    const char* begin = nullptr;
    const char* end = nullptr;
    int state = 0;
    bool updated = false;
  };

  absl::Status Check(const ProgramPlan& plan);
  bool LiesIn(const DenseTensor& tensor) const;

  std::vector<Range> ranges_;   // By state.
  std::vector<Range> updated_;  // By address; without empty ones.
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_STATE_ALIASING_H_
