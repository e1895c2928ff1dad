// SPDX-License-Identifier: Apache-2.0
// Specialize: makes the ShapeSpecialization of a Plan for known input shapes:
// runs each operator's InferMeta once, resolves the candidates that lowering
// left (phi/selection's Resolve), leaves out transforms that turn out to have
// nothing to do and calls without elements, and plans memory. The warm path
// of a run is block_frame.h.
#ifndef SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_H_
#define SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_H_

#include <memory>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/executor/plan.h"
#include "static_graph/executor/resizer.h"
#include "static_graph/executor/shape_specialization.h"
#include "static_graph/executor/step_list.h"

namespace switchyard::static_graph {

// `feeds` are the shapes of the program's feeds, known and fitting their types.
// Errors begin with the operator's name: what InferMeta and selection refuse
// now that shapes are known; SizeError.
//
// Where a shape depends on elements that are computed, or on those of a feed,
// or a block of control flow is wrong for these shapes, it ends before the
// instruction, without results: such programs are run by segments
// (late_runner.h), and fail only if they enter the block.
//
// Writes down in `list`, unless it is null, the calls that it does and their
// steps.
absl::StatusOr<std::unique_ptr<ShapeSpecialization>> Specialize(
    const ProgramPlan& program, absl::Span<const Shape> feeds,
    SpecializationCounts* counts, StepList* list = nullptr);

// Gives the specialization of `program` that `resizer` belongs to feeds of
// these shapes: Resizer::Resize().
bool Respecialize(const ProgramPlan& program, absl::Span<const Shape> feeds,
                  Resizer* resizer);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_EXECUTOR_SPECIALIZE_SPECIALIZE_H_
