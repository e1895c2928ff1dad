// SPDX-License-Identifier: Apache-2.0
// Finds the steps that a run need not repeat. Their values follow from
// constants and from states that the program does not update: weights in the
// layouts of kernels, filters that a batch norm was multiplied into. Weights
// are states that few programs write.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_PACKING_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_PACKING_H_

#include "static_graph/executor/plan.h"
#include "static_graph/executor/shape_specialization.h"

namespace switchyard::static_graph {

// Takes such steps out of those of `made`, a specialization of `plan` whose
// results are marked: `prepared` has them then, and `packings` what each makes.
void SetPackingsApart(const ProgramPlan& program, const Plan& plan,
                      ShapeSpecialization* made);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_PACKING_H_
