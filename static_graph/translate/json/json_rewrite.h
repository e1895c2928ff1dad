// SPDX-License-Identifier: Apache-2.0
// AsOurs: operators of programs in JSON that ours are by another name, with
// other operands or attributes; and what an operator writes over.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_REWRITE_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_REWRITE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "static_graph/foreign/paddle_json/json_program.h"
#include "static_graph/ir/context.h"

namespace switchyard::static_graph {

// Our operator whose result is of the integers that the file says.
inline constexpr char kShapeOp[] = "shape";

// Returns the operator in terms of ours, without blocks; nullopt if it is one
// of ours as it is, or unknown.
std::optional<JsonOperator> AsOurs(const JsonOperator& op);

// A value that an operator writes over, and the number of its result that is
// the new one.
struct OverwrittenOperand {
  int64_t value;
  int output;
};

// Returns them for an operator whose name ends in "_"; none for another.
std::vector<OverwrittenOperand> OverwrittenBy(const JsonOperator& op,
                                              const ir::Context& context);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_REWRITE_H_
