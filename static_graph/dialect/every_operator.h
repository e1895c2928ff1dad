// SPDX-License-Identifier: Apache-2.0
// AllDialectOps: every generated operator, for RegisterDialects
// (static_graph/dialect/register_dialects.h) and for code that finds operators
// by name.
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_EVERY_OPERATOR_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_EVERY_OPERATOR_H_

#include "absl/types/span.h"
#include "static_graph/dialect/dialect_op.h"

namespace switchyard::static_graph {

// Returns the operators sorted by name.
absl::Span<const DialectOp* const> AllDialectOps();

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_EVERY_OPERATOR_H_
