// SPDX-License-Identifier: Apache-2.0
// RandomDraws: the random numbers that a program draws, as it is built.
#ifndef SWITCHYARD_STATIC_GRAPH_PROGRAM_RANDOM_DRAWS_H_
#define SWITCHYARD_STATIC_GRAPH_PROGRAM_RANDOM_DRAWS_H_

#include <cstdint>
#include <vector>

#include "framework/base/status.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/program.h"

namespace switchyard::static_graph {

// Holds how many numbers were drawn so far, and from which state: of null it is
// the program's. A value; copies tell what a region has drawn.
struct RandomDraws {
  ir::Value rng;
  int64_t count = 0;

  friend bool operator==(const RandomDraws& a, const RandomDraws& b) {
    return a.rng == b.rng && a.count == b.count;
  }
};

// Returns the state that the next random call draws from; the program gets one
// if it has none.
absl::StatusOr<ir::Value> StateOf(const RandomDraws& draws,
                                  ir::Program* program);
// Returns that state with the numbers drawn, which `builder` computes.
absl::StatusOr<ir::Value> Advanced(const RandomDraws& draws,
                                   ir::Program* program, ir::Builder& builder);

// Gives a random call the state and the next stream: sets `rng`, and among
// `attrs` the operator's `stream`. ArgumentError, which begins with the
// operator's name, if an attribute before it has no value.
absl::Status Draw(const DialectOp& op, ir::Program* program, RandomDraws* draws,
                  ir::Value* rng, std::vector<AttrRef>* attrs);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PROGRAM_RANDOM_DRAWS_H_
