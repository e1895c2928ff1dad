// SPDX-License-Identifier: Apache-2.0
// The operator `recurrent` of old programs (StaticRNN): a block that runs once
// for each step of its inputs, whose first axis is time, and hands its states
// on. It becomes a loop, in which results are kept in arrays.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_RECURRENT_OPERATOR_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_RECURRENT_OPERATOR_H_

#include "framework/base/status.h"
#include "static_graph/ir/builder.h"
#include "static_graph/translate/control/control_operators.h"
#include "static_graph/translate/translation.h"
#include "static_graph/translate/variable_scope.h"

namespace switchyard::static_graph {

// Adds the loop of `rnn`, of kind kRecurrent, and sets the variables that it
// writes: the results of all steps, stacked. In the block a variable of the
// name of an input is a step of it, and a state's variable before the step
// (ex_states) holds the state after the step before. Errors as of
// TranslateBlock.
absl::Status TranslateRecurrent(const ControlOperator& rnn,
                                ir::Builder& builder, VariableScope* scope,
                                Translation* translation);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_RECURRENT_OPERATOR_H_
