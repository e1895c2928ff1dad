// SPDX-License-Identifier: Apache-2.0
// CheckJsonOperators: what can be said against the operators of a program in
// JSON, each by itself, before one is translated: somebody who wants to run it
// learns what is missing in one go. What depends on shapes and values comes
// with the translation.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_CHECK_JSON_OPERATORS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_CHECK_JSON_OPERATORS_H_

#include <string_view>

#include "framework/base/status.h"
#include "static_graph/foreign/paddle_json/json_program.h"
#include "static_graph/ir/context.h"

namespace switchyard::static_graph {

// Returns true for an operator that is none of ours and is translated all the
// same: those that only programs in JSON have.
bool IsJsonOnly(std::string_view name);

// Checks the operators of the block and of those in it, those that IsJsonOnly
// apart: that there is an operator of ours of that name, that it takes the
// operands and knows the attributes. Errors as OperatorProblems
// (static_graph/foreign/operator_problems.h).
absl::Status CheckJsonOperators(const JsonBlock& main,
                                const ir::Context& context);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_CHECK_JSON_OPERATORS_H_
