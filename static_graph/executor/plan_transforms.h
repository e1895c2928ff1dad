// SPDX-License-Identifier: Apache-2.0
// Runs the transforms among the instructions of a ProgramPlan (plan.h).
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_PLAN_TRANSFORMS_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_PLAN_TRANSFORMS_H_

#include "static_graph/executor/plan.h"

namespace switchyard::static_graph {

// Returns the kind of a transform by its operator.
inline phi::selection::Transform::Kind TransformKindOf(
    const ProgramPlan& program, const Instruction& transform) {
  using Kind = phi::selection::Transform::Kind;
  for (const Kind kind : {Kind::kCopy, Kind::kContiguous, Kind::kCast}) {
    if (transform.op == program.transforms[static_cast<int>(kind)].op) {
      return kind;
    }
  }
  return Kind::kReorder;
}

// Returns true if a transform belongs to the call that made its input, which
// lies on `from`: it makes a result strided again, or returns that of a
// fallback to its device. Its result is no input of a call that was
// transformed.
inline bool EndsCall(const Instruction& transform, Place from) {
  return transform.of_result ||
         (from == Place::Cpu() && transform.result_place != Place::Cpu());
}

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_PLAN_TRANSFORMS_H_
