// SPDX-License-Identifier: Apache-2.0
// MapJsonOperator: an operator of a program in JSON as a call of ours, as far
// as that can be told without its tensors.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_CALL_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_CALL_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "phi/legacy/forms/legacy_call.h"
#include "static_graph/foreign/paddle_json/json_program.h"
#include "static_graph/ir/context.h"

namespace switchyard::static_graph {

struct DialectOp;  // static_graph/dialect/dialect_op.h

// Our call, in terms of the operands.
struct JsonCall {
  phi::LegacyInputs inputs;
  std::vector<Attribute> attributes;  // Those an operand supplies: a default.
  bool draws = false;                 // Random numbers, from its input `rng`.
};

// Returns our operator of that functional name, or that has the place of one
// ("shape64" is shape). "relu_" is relu, unless there is one of the whole name;
// null if there is none.
const DialectOp* FindFunctional(const ir::Context& context,
                                std::string_view name);

// Operands have no names: they are the inputs of our operator in its order (a
// generator of random numbers is none) and, after them, the attributes that
// the operator does not name. `counts` says how many tensors each operand
// holds, 0 where it is absent.
//
// ArgumentError or TypeError for operands and attributes that the operator
// lacks or forbids.
absl::StatusOr<JsonCall> MapJsonOperator(const JsonOperator& op,
                                         const phi::OpInfo& info,
                                         absl::Span<const size_t> counts);

// Returns which of our outputs the result of that number is, -1 for none; and
// which operand our input is, -1 for none.
int ResultOf(const phi::OpInfo& info, const JsonOperator& op, size_t result);
int OperandOf(const phi::OpInfo& info, const JsonOperator& op, int input);

// Returns the seed that a random operator has of its own.
std::optional<int64_t> SeedOf(const JsonOperator& op);

// The value of an attribute that an operator must have, as one of `type`.
absl::StatusOr<Attribute> JsonAttribute(const JsonOperator& op,
                                        std::string_view name, AttrType type);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_JSON_CALL_H_
