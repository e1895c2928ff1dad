// SPDX-License-Identifier: Apache-2.0
// TranslateJsonOperator: one operator of a program in PaddlePaddle's JSON, as a
// call of ours, a port of the program, or a renaming of values.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_OPERATOR_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_OPERATOR_H_

#include <string_view>

#include "framework/base/status.h"
#include "static_graph/foreign/foreign_program.h"
#include "static_graph/ir/builder.h"
#include "static_graph/translate/translation.h"
#include "static_graph/translate/variable_scope.h"

namespace switchyard::static_graph {

// The operator at the end of a block that an operator runs: its operands are
// what leaves the block.
inline constexpr std::string_view kYield = "cf.yield";

// Returns true for an operator that is none of ours and is translated all the
// same, those of control flow apart.
bool IsJsonOnly(std::string_view type);

// Translates an operator without blocks, in terms of ours
// (static_graph/translate/rewrites/json_rewrites.h), and gives its slots names.
// Parameters become states, `data` feeds, `fetch` and what is set or shown at
// the end fetches. Errors as of TranslateProgram, without the operator's place.
absl::Status TranslateJsonOperator(ForeignOperator* op, ir::Builder& builder,
                                   VariableScope* scope,
                                   Translation* translation);

// Checks what can be said of a call before the run: that there is an operator
// of ours of that name, that it takes the operands and knows the attributes. A
// list has as many tensors as the block says. With `search` the nearest name is
// looked for where there is none.
absl::Status CheckJsonOperator(const ForeignBlock& block,
                               const ir::Context& context, bool search,
                               ForeignOperator* op, JsonForm* form);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_JSON_OPERATOR_H_
