// SPDX-License-Identifier: Apache-2.0
// VerifyMemory: whether values keep their bytes in planned memory for as long
// as they are read. The plan is memory_planner.h's; this knows nothing of it.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_MEMORY_VERIFIER_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_MEMORY_VERIFIER_H_

#include "framework/base/status.h"
#include "static_graph/executor/shape_specialization.h"

namespace switchyard::static_graph {

// Goes through the steps and remembers which value each planned byte was
// written for last. InternalError, which names the step, unless every value
// that a step reads, and every result, has all of its bytes then; if outputs of
// a step overlap its inputs, unless they are written in place of them or the
// inputs are parts of a concatenation that lie where they go, or each other;
// and if a value lies outside of the memory or is not aligned to 64 bytes.
// Blocks of control flow have memory of their own and are verified by
// themselves. Takes n log n time in the number of steps, so that every
// specialization is verified when it is made.
absl::Status VerifyMemory(const ShapeSpecialization& made);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_MEMORY_VERIFIER_H_
