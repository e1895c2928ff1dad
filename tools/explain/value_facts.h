// SPDX-License-Identifier: Apache-2.0
// ValueFacts: what is known of the values between the calls of a composite
// before it runs, with the geometry of views. ExplainedCall follows it from
// call to call.
#ifndef SWITCHYARD_TOOLS_EXPLAIN_VALUE_FACTS_H_
#define SWITCHYARD_TOOLS_EXPLAIN_VALUE_FACTS_H_

#include <cstdint>
#include <vector>

#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "framework/tensor/dense_tensor.h"
#include "phi/selection/explain.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/ir/value.h"

namespace switchyard::phi::selection {

// Strides are not known where those of a view hang on extents that are not, or
// where a tensor is "strided" and nothing more; then it counts as not
// contiguous.
struct ValueFacts {
  TensorMeta meta;
  bool strides_known = true;
  // Whether it is contiguous is seen when its extents are known.
  bool maybe_contiguous = false;
};

// Returns a contiguous tensor, as far as its shape is known.
TensorMeta ContiguousMeta(const TensorSpec& spec, Place place);

// The facts of each value. Used by one thread.
class ValueFactsMap {
 public:
  ValueFacts& operator[](static_graph::ir::Value value) {
    return facts_[value];
  }

  // Stores the facts of the results of a call that is explained. Errors are
  // those of a view's kernel.
  absl::Status NoteResults(const static_graph::OpCall& call,
                           const Explanation& explanation);

 private:
  // Says of a view, the result in `slot` of a call, what holds whatever its
  // unknown extents.
  absl::Status NoteView(const static_graph::OpCall& call,
                        const Explanation& explanation, size_t slot,
                        ValueFacts* facts);
  // Returns the results of a view operator by slot, with `extent` in the place
  // of each one that is not known; empty where nothing is known.
  absl::StatusOr<std::vector<TensorMeta>> GetViews(
      const static_graph::OpCall& call, const Explanation& explanation,
      int64_t extent);

  HashMap<static_graph::ir::Value, ValueFacts> facts_;
};

}  // namespace switchyard::phi::selection

#endif  // SWITCHYARD_TOOLS_EXPLAIN_VALUE_FACTS_H_
