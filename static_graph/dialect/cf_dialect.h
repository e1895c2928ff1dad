// SPDX-License-Identifier: Apache-2.0
// The dialect `cf`: structured control flow, as operations with regions.
//   %r... = cf.if(%condition) { ...; cf.yield(%a...) } { ...; cf.yield(%b...) }
//     the first region runs if the condition holds, else the second; the
//     results are the values that it yields.
//   %r... = cf.while(%init...) { ^(%v...): ...; cf.condition(%go_on) }
//                              { ^(%v...): ...; cf.yield(%next...) }
//     the first region decides whether the second, the body, runs (again); the
//     values that the body yields replace %v; at the end they are the results.
// A condition is a bool tensor of one element. Regions may use values of the
// blocks around them. Shapes must be the same whichever way control goes: the
// yields of both branches agree, and a loop's values keep theirs.
// Calls of operators are static_graph/dialect/register_dialects.h.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_CF_DIALECT_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_CF_DIALECT_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/context.h"

namespace switchyard::static_graph {

inline constexpr char kIfOp[] = "cf.if";
inline constexpr char kWhileOp[] = "cf.while";
inline constexpr char kYieldOp[] = "cf.yield";
inline constexpr char kConditionOp[] = "cf.condition";

// Registers the four operations unless they are registered.
absl::Status RegisterControlFlowDialect(ir::Context* context);

// Fills a branch: creates operations with the builder, returns the values to
// yield.
using BranchFunction =
    absl::FunctionRef<absl::StatusOr<std::vector<ir::Value>>(ir::Builder&)>;

// The results of a new cf.if. A Dim on which the branches don't agree is
// unknown. On error nothing is inserted: the operations of both branches are
// removed, and the second is not called if the first fails.
absl::StatusOr<std::vector<ir::Value>> BuildIf(ir::Builder& builder,
                                               ir::Value condition,
                                               BranchFunction then_branch,
                                               BranchFunction else_branch);

// Given the loop's values: whether to go on, or the next values.
using ConditionFunction = absl::FunctionRef<absl::StatusOr<ir::Value>(
    ir::Builder&, absl::Span<const ir::Value>)>;
using BodyFunction = absl::FunctionRef<absl::StatusOr<std::vector<ir::Value>>(
    ir::Builder&, absl::Span<const ir::Value>)>;

// The results of a new cf.while. A Dim that an iteration may change is unknown;
// where that shows only when the body is there, both functions are called
// again. On error nothing is inserted.
absl::StatusOr<std::vector<ir::Value>> BuildWhile(
    ir::Builder& builder, absl::Span<const ir::Value> init,
    ConditionFunction condition, BodyFunction body);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_CF_DIALECT_H_
