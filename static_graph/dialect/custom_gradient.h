// SPDX-License-Identifier: Apache-2.0
// cf.custom_gradient: values whose gradients a region computes.
//   %r... = cf.custom_gradient(%y..., %x...) {of = int32[0, ...]}
//             { ^(%g..., %s...): ...; cf.yield(%d...) }
//     the results are %y, over the same memory. No gradient flows into %y: the
//     region computes, of the gradients %g of the results and of the results
//     themselves, %s, the gradients %d of those %x whose numbers are `of`.
// The region may use values of the blocks around it. It is there while a
// program is traced: autodiff copies the region to where a gradient is needed,
// and EraseCustomGradients removes the rest before any pass runs.
// cf.kept_gradient: %r = cf.kept_gradient(%y, %x) is %y, and its gradient is
//     that of %x: the value that %x holds after a write that is not recorded.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_CUSTOM_GRADIENT_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_CUSTOM_GRADIENT_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/context.h"

namespace switchyard::static_graph {

inline constexpr char kCustomGradientOp[] = "cf.custom_gradient";
inline constexpr char kKeptGradientOp[] = "cf.kept_gradient";

// Registers both operations unless they are registered.
absl::Status RegisterCustomGradient(ir::Context* context);

// Given the region's arguments, %g... and then %s..., creates operations with
// the builder and returns a gradient for each %x, null for those without.
using GradientRule = absl::FunctionRef<absl::StatusOr<std::vector<ir::Value>>(
    ir::Builder&, absl::Span<const ir::Value> arguments)>;

// Returns the results of a new cf.custom_gradient, which is registered.
// TypeError for a gradient that is not of its input's dtype and kind, or surely
// of another shape. On error nothing is inserted.
absl::StatusOr<std::vector<ir::Value>> BuildCustomGradient(
    ir::Builder& builder, absl::Span<const ir::Value> outputs,
    absl::Span<const ir::Value> inputs, GradientRule rule);

// Returns, for each value that the region yields, the operand whose gradient
// it is.
std::vector<ir::Value> CustomGradientTargets(const ir::Operation& op);

// Returns the result of a new cf.kept_gradient, which is registered. Both are
// of one type.
ir::Value BuildKeptGradient(ir::Builder& builder, ir::Value y, ir::Value x);

// Replaces the results of both operations in the block, however deep, by %y and
// erases the operations.
void EraseCustomGradients(ir::Block& block);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_CUSTOM_GRADIENT_H_
