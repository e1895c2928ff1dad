// SPDX-License-Identifier: Apache-2.0
// The operator `select_input` of old programs: one of several values, by a
// number that is known at run time.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_SELECT_OPERATOR_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_SELECT_OPERATOR_H_

#include "framework/base/status.h"
#include "static_graph/ir/builder.h"
#include "static_graph/translate/control/control_operators.h"
#include "static_graph/translate/translation.h"
#include "static_graph/translate/variable_scope.h"

namespace switchyard::static_graph {

// Adds the selection that `select`, of kind kSelect, is, and sets the variable
// of its result. Of two values one that stands for none takes the other's type.
// Errors as of TranslateBlock.
absl::Status TranslateSelect(const ControlOperator& select,
                             ir::Builder& builder, VariableScope* scope,
                             Translation* translation);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_SELECT_OPERATOR_H_
