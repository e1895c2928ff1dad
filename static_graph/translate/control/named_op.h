// SPDX-License-Identifier: Apache-2.0
// Calls of operators that a translation adds to the program's own: for control
// flow, gradients, sequences and random numbers. The operators' generated
// classes create them (static_graph/dialect/op_view.h).
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_CONTROL_NAMED_OP_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_CONTROL_NAMED_OP_H_

#include <string_view>

#include "framework/base/status.h"
#include "static_graph/ir/value.h"

namespace switchyard::static_graph {

// Returns Unimplemented: "<need> the operator <name>", so `need` begins a
// sentence ("recurrent needs").
absl::Status LacksOperator(std::string_view need, std::string_view name);

// Returns the result of a call that an operator's class has built:
//   ResultFor("recurrent needs", AddOp::Build(builder, x, y))
// Errors are Build's, and LacksOperator() where the context has no such
// operator.
template <typename View>
absl::StatusOr<ir::Value> ResultFor(std::string_view need,
                                    const absl::StatusOr<View>& call) {
  if (call.ok()) return call->out();
  if (!absl::IsNotFound(call.status())) return call.status();
  return LacksOperator(need, View::kOp.name);
}

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_CONTROL_NAMED_OP_H_
