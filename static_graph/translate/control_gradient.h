// SPDX-License-Identifier: Apache-2.0
// Gradients of the operators of old programs that run blocks: while_grad and
// conditional_block_grad, each with a block of gradient operators. Here those
// blocks are not run: the operation that the forward operator became is
// differentiated, which computes the same. And select_output, which hands the
// gradient of a choice to the branch that was chosen.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_CONTROL_GRADIENT_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_CONTROL_GRADIENT_H_

#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "static_graph/foreign/foreign_program.h"
#include "static_graph/ir/builder.h"
#include "static_graph/translate/translation.h"
#include "static_graph/translate/variable_scope.h"

namespace switchyard::static_graph {

// True for while_grad, conditional_block_grad and select_output.
bool IsControlGradient(std::string_view type);

// ArgumentError for slots and attributes that the operator can't have, and for
// one that stands in a block other than the main one, `block` being its own.
absl::Status CheckControlGradient(const ForeignOperator& op,
                                  const ForeignProgram& program, int block);

// Adds the gradient and sets the variables that `op` writes. `op` is one that
// CheckControlGradient accepts. ArgumentError also for a gradient of a block
// that no operator ran before.
absl::Status TranslateControlGradient(const ForeignOperator& op,
                                      ir::Builder& builder,
                                      VariableScope* scope,
                                      Translation* translation);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_CONTROL_GRADIENT_H_
