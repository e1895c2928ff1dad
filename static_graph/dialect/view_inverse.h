// SPDX-License-Identifier: Apache-2.0
// The inverse of a view: computes the new base from a written view.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_VIEW_INVERSE_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_VIEW_INVERSE_H_

#include "framework/base/status.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/operation.h"
#include "static_graph/ir/value.h"

namespace switchyard::static_graph {

// Returns true for a call of a view operator through which no gradient flows:
// its result and its operand share memory, not their places in the graph.
bool StopsGradient(const ir::Operation& view);

// Creates at the insertion point the new base of `view` after its result
// `view_result` became `written`; `base` is the old base. A view with every
// element of its base (reshape, transpose) gives the base alone: elements in
// the same order get the old shape, permuted ones go back by the gradient of
// the view, which is its inverse. Of a part (a slice, a piece of a split) the
// rest is taken from `base`. Elements written through a view that stops
// gradients have none in the base either. NotFound if there is no such way or
// the context lacks the operators.
absl::StatusOr<ir::Value> BuildViewInverse(ir::Builder& builder,
                                           ir::Value view_result,
                                           ir::Value written, ir::Value base);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_VIEW_INVERSE_H_
