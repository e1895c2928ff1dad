// SPDX-License-Identifier: Apache-2.0
// Calls of operators that a translation adds by their names, beside those that
// the program has: for control flow, gradients, sequences and random numbers.
// static_graph/dialect/build_op.h creates them.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_NAMED_OP_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_NAMED_OP_H_

#include <string_view>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/value.h"

namespace switchyard::static_graph {

// Adds a call of the operator `name` and returns its first result. Errors are
// BuildOp's, and Unimplemented if the context has no such operator:
// "<need> the operator <name>", so `need` begins a sentence ("recurrent
// needs").
absl::StatusOr<ir::Value> BuildNamedOp(ir::Builder& builder,
                                       std::string_view need,
                                       std::string_view name,
                                       const InputValues& inputs,
                                       absl::Span<const AttrRef> attrs = {});

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_NAMED_OP_H_
