// SPDX-License-Identifier: Apache-2.0
// BuildGradients: reverse-mode differentiation on the IR. It appends the
// operations that compute the gradients of one value; it interprets the same
// GradInfo records as eager's engine (eager/autograd/engine.h) and knows no
// operator.
//
// The same bits as eager: operations are visited in the reverse of the
// program's order and contributions to one gradient are added as they come,
// acc = add(acc, new), which is the engine's order. A backward operator that
// has kernels becomes one op.<name>; one that has none is written out by its
// composite. A branch of cf.if continues the sums that exist before it, and so
// do the iterations of a cf.while, which run backwards (reverse_while.cc).
#ifndef SWITCHYARD_STATIC_GRAPH_AUTODIFF_GRADIENTS_H_
#define SWITCHYARD_STATIC_GRAPH_AUTODIFF_GRADIENTS_H_

#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/value.h"

namespace switchyard::static_graph {

// The options of BuildGradients().
struct GradientOptions {
  // Values through which no gradient flows.
  absl::Span<const ir::Value> stop_gradient;
  // The gradient that `target` itself has; null: ones, for a target of one
  // element only.
  ir::Value target_gradient;
};

// Appends, at the insertion point, the gradients of `target` for each value of
// `wrt`. The place is after `target` in the same block (the end of a program's
// entry block, its return aside). A gradient is null where `target` does not
// depend on that value through differentiable operators.
//
// A forward operator without a gradient ends the flow, as in eager. Errors name
// the operator: ArgumentError for a `target` that is not floating or has not
// one element, Unimplemented for a side effect inside of control flow on the
// way and, as in eager, for a backward operator (second order) that has neither
// a gradient nor a composite. What was appended before an error stays, unused.
absl::StatusOr<std::vector<ir::Value>> BuildGradients(
    ir::Builder& builder, ir::Value target, absl::Span<const ir::Value> wrt,
    const GradientOptions& options = {});

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_AUTODIFF_GRADIENTS_H_
