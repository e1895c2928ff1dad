// SPDX-License-Identifier: Apache-2.0
// TranslateOperator: an operator of an old program that has a legacy form, as a
// call of the operator that it is here.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATE_OPERATOR_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATE_OPERATOR_H_

#include <string>
#include <vector>

#include "framework/base/status.h"
#include "phi/core/arg_buffer.h"
#include "phi/legacy/forms/legacy_form.h"
#include "static_graph/foreign/foreign_operator.h"
#include "static_graph/ir/builder.h"
#include "static_graph/translate/translation.h"
#include "static_graph/translate/variable_scope.h"

namespace switchyard::static_graph {

// A call of ours that was added.
struct BuiltCall {
  std::vector<ir::Value> operands;
  std::vector<ir::Value> results;
  phi::ArgLayout outputs;
  // The first operand of HasUndescribedSequences
  // (static_graph/translate/sequences.h); null: none.
  ir::Value undescribed;

  phi::ArgList<const ir::Value> list() const {
    return {results, outputs.segments()};
  }
};

// Adds the call that `op`, of this form, is, and sets nothing. Errors as of
// TranslateOperator.
absl::StatusOr<BuiltCall> BuildCall(const ForeignOperator& op,
                                    const phi::LegacyForm& form,
                                    ir::Builder& builder, VariableScope* scope,
                                    Translation* translation);

// Does so and sets the operator's outputs in `scope`.
absl::Status TranslateCall(const ForeignOperator& op,
                           const phi::LegacyForm& form, ir::Builder& builder,
                           VariableScope* scope, Translation* translation);

// Adds the call and sets the operator's outputs in `scope`. Errors as of
// TranslateProgram, without the operator's place.
absl::Status TranslateOperator(const ForeignOperator& op, ir::Builder& builder,
                               VariableScope* scope, Translation* translation);

// Returns the value of a variable; an array is empty until the first write.
// ArgumentError for any other variable without a value.
absl::StatusOr<ir::Value> ReadVariable(ir::Builder& builder,
                                       const VariableScope& scope,
                                       const std::string& name);

// Sets the value of the variable from here on; null: no usable value.
// ArgumentError if it contradicts the variable's description.
absl::Status WriteVariable(const std::string& name, ir::Value value,
                           const Translation& translation,
                           VariableScope* scope);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATE_OPERATOR_H_
