// SPDX-License-Identifier: Apache-2.0
// RandomStreams: the sources of the random operators of a program.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_RANDOM_STREAMS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_RANDOM_STREAMS_H_

#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/program.h"
#include "static_graph/translate/map_operator.h"

namespace switchyard::static_graph {

// Assigns a source to each random operator: one with a seed draws from the
// seed, the same numbers in every run; the others draw from the state
// kRngState, one stream each, and the next run continues after them.
class RandomStreams {
 public:
  // The program, to which the state is added when it is needed, outlives the
  // object.
  explicit RandomStreams(ir::Program* program) : program_(program) {}

  // Returns the `rng` input of a random call, and sets its stream.
  // Unimplemented `in_loop` without a seed, for each iteration would draw the
  // same numbers; ArgumentError if a variable has the name of the state.
  absl::StatusOr<ir::Value> Draw(ir::Builder& builder, const phi::OpInfo& op,
                                 bool in_loop, MappedOperator* mapped);

  // Adds the state's new value to `states`, if it was drawn from.
  absl::Status Advance(ir::Builder& builder,
                       std::vector<ir::NamedValue>* states) const;

 private:
  ir::Program* program_;
  ir::Value rng_;  // Null until an operator needs the state.
  int64_t streams_ = 0;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_RANDOM_STREAMS_H_
