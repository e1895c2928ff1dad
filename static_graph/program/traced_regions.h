// SPDX-License-Identifier: Apache-2.0
// Operations with regions, and checkpoints: functions of the caller build what
// is inside.
#ifndef SWITCHYARD_STATIC_GRAPH_PROGRAM_TRACED_REGIONS_H_
#define SWITCHYARD_STATIC_GRAPH_PROGRAM_TRACED_REGIONS_H_

#include <functional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/program/program_draft.h"

namespace switchyard::static_graph {

// Builds the inside of a region: given the region's arguments, it adds
// operations to the draft and returns what the region yields.
using RegionFunction = std::function<absl::StatusOr<std::vector<ir::Value>>(
    absl::Span<const ir::Value>)>;

// These add to `draft` as the functions of GraphBuilder do that have their
// names (graph_builder.h), and return a failure of their functions.
absl::StatusOr<std::vector<ir::Value>> TraceIf(
    ProgramDraft* draft, ir::Value condition, const RegionFunction& then_branch,
    const RegionFunction& else_branch);
absl::StatusOr<std::vector<ir::Value>> TraceWhile(
    ProgramDraft* draft, absl::Span<const ir::Value> init,
    const RegionFunction& condition, const RegionFunction& body);
absl::StatusOr<std::vector<ir::Value>> TraceCustomGradient(
    ProgramDraft* draft, absl::Span<const ir::Value> outputs,
    absl::Span<const ir::Value> inputs, const RegionFunction& rule);

// Gives the operations that `function` adds the attribute kCheckpointAttr
// (static_graph/ir/checkpoint_attributes.h) with `number`, before the numbers
// that they have already.
absl::Status TraceCheckpoint(ProgramDraft* draft, int64_t number,
                             absl::FunctionRef<absl::Status()> function);
// Takes that attribute from all operations of the block and of its regions.
void EraseCheckpoints(ir::Block& block);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PROGRAM_TRACED_REGIONS_H_
