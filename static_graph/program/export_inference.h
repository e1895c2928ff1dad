// SPDX-License-Identifier: Apache-2.0
// ExportInference: the part of a training program that a user of the model
// needs: what some fetches depend on. Saving it is saved_program.h.
#ifndef SWITCHYARD_STATIC_GRAPH_PROGRAM_EXPORT_INFERENCE_H_
#define SWITCHYARD_STATIC_GRAPH_PROGRAM_EXPORT_INFERENCE_H_

#include <string>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/ir/program.h"

namespace switchyard::static_graph {

// Whether arguments that no fetch depends on go.
enum class UnusedArguments { kErase, kKeep };

// Returns a new program, in the dialect `op`, that fetches `fetches` (names of
// fetches of `program`), updates no state, and has only the operations and,
// unless `unused` says otherwise, the feeds and states that this needs.
// Operators that behave otherwise in training (a bool attribute `is_test`) are
// switched to inference. ArgumentError for a name that `program` does not
// fetch.
absl::StatusOr<ir::Program> ExportInference(
    const ir::Program& program, absl::Span<const std::string> fetches,
    UnusedArguments unused = UnusedArguments::kErase);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PROGRAM_EXPORT_INFERENCE_H_
