// SPDX-License-Identifier: Apache-2.0
// ExpandComposites: writes the calls of operators that no kernel of their own
// answers (phi/selection/composite.h) out as other operators (phi/composite),
// within the dialect `op`. The first step of Lower (lower.h).
#ifndef SWITCHYARD_STATIC_GRAPH_LOWERING_EXPAND_COMPOSITES_H_
#define SWITCHYARD_STATIC_GRAPH_LOWERING_EXPAND_COMPOSITES_H_

#include "absl/functional/function_ref.h"
#include "framework/base/status.h"
#include "static_graph/ir/program.h"

namespace switchyard::static_graph {

// Writes `op`, a call of an operator that has a composite, out before itself,
// by one level: what it is made of may have no kernels either. Its results are
// replaced and `op` is erased. Errors begin with the operator's name.
absl::Status ExpandCall(ir::Context* context, ir::Operation* op);

// Writes out the calls of operators that have a composite where `composes` says
// so. Changes `program`; on error it is left half done, so give it a clone.
absl::Status ExpandComposites(
    ir::Program* program,
    absl::FunctionRef<absl::StatusOr<bool>(const ir::Operation&)> composes);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_LOWERING_EXPAND_COMPOSITES_H_
