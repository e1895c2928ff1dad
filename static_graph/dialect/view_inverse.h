// SPDX-License-Identifier: Apache-2.0
// The inverse of a view: from what a view became back to its base.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_VIEW_INVERSE_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_VIEW_INVERSE_H_

#include "framework/base/status.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/operation.h"
#include "static_graph/ir/value.h"

namespace switchyard::static_graph {

// Returns true for a call of a view operator that has every element of its base
// once (reshape, transpose), so that the base follows from the view.
bool HasInverse(const ir::Operation& view);

// Creates at the insertion point what the base of `view`, which has an inverse,
// is where the view is `written`: a view of that in turn. Elements in the same
// order get the old shape; those that were permuted go back by the gradient of
// the view, which is its inverse. NotFound if the context lacks the operators.
absl::StatusOr<ir::Value> BuildViewInverse(ir::Builder& builder,
                                           const ir::Operation& view,
                                           ir::Value written);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_VIEW_INVERSE_H_
