// SPDX-License-Identifier: Apache-2.0
// Array variables of old programs: a write updates one in place, which the
// slots of the operator don't say.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_ARRAY_VARIABLES_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_ARRAY_VARIABLES_H_

#include <string>

#include "framework/base/status.h"
#include "phi/legacy/forms/legacy_form.h"
#include "static_graph/foreign/foreign_operator.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/value.h"
#include "static_graph/translate/variable_scope.h"

namespace switchyard::static_graph {

// Returns the input of `form` with the name of one of its outputs: the array
// that the output's variable holds before the call. Null if there is none.
const phi::LegacySlot* UpdatedSlot(const phi::LegacyForm& form);

// Returns `op` with the array that it updates as an input too. `form` has an
// UpdatedSlot().
ForeignOperator WithPrevious(const ForeignOperator& op,
                             const phi::LegacyForm& form,
                             const VariableScope& scope);

// Gives an array variable that nothing was written to an empty array of
// elements like `first`, which may be null. The described shape of its elements
// was inferred before the program ran: where `first` differs, elements may have
// any extent. Does nothing for another variable.
absl::Status BeginArray(const std::string& name, ir::Value first,
                        ir::Builder& builder, VariableScope* scope);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_ARRAY_VARIABLES_H_
