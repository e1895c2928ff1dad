// SPDX-License-Identifier: Apache-2.0
// Replay: adds what a program computes to a graph that is being built.
#ifndef SWITCHYARD_STATIC_GRAPH_PROGRAM_REPLAY_H_
#define SWITCHYARD_STATIC_GRAPH_PROGRAM_REPLAY_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "static_graph/ir/program.h"
#include "static_graph/program/graph_builder.h"

namespace switchyard::static_graph {

// Adds the program's operations, of the dialect `op`, and returns the values of
// its fetches, in order. `values` has one of the builder's context for each
// argument; the program may live in another. Types are inferred again from
// them. States that the program writes stay as they are. Unimplemented for a
// program that draws random numbers or holds gradients of one's own.
absl::StatusOr<std::vector<ir::Value>> Replay(
    const ir::Program& program, HashMap<ir::Value, ir::Value> values,
    GraphBuilder& builder);

// Adds one operation of a program, a constant or a call; returns its results.
// `values` has the builder's value for each of its operands. Types are inferred
// again. Unimplemented for control flow.
absl::StatusOr<std::vector<ir::Value>> ReplayOperation(
    const ir::Operation& op, HashMap<ir::Value, ir::Value> values,
    GraphBuilder& builder);

// Is asked before each call of an operator is added. May replace `inputs`,
// which are of the builder's context, null where absent. True: `results`, one
// for each result of `op`, stand in place of the call, which is left out; null
// is for what nothing else reads.
using ReplayHook = absl::FunctionRef<absl::StatusOr<bool>(
    const ir::Operation& op, std::vector<ir::Value>* inputs,
    std::vector<ir::Value>* results)>;

// The values of a program in another graph.
struct ReplayedValues {
  std::vector<ir::Value> fetches;
  std::vector<ir::NamedValue> new_states;
};

// Does what Replay() does, with the calls as the hook wants them, and returns
// the states that the program writes, too. A null value of `values` is an
// argument that nothing reads then.
absl::StatusOr<ReplayedValues> Rewrite(const ir::Program& program,
                                       HashMap<ir::Value, ir::Value> values,
                                       GraphBuilder& builder, ReplayHook hook);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PROGRAM_REPLAY_H_
