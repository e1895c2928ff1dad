// SPDX-License-Identifier: Apache-2.0
// TranslateGradient: a gradient without a form of its own
// (static_graph/translate/gradient_operator.h), by differentiating the operator
// whose gradient it is.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATE_GRADIENT_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATE_GRADIENT_H_

#include <string>
#include <string_view>

#include "framework/base/status.h"
#include "phi/legacy/forms/legacy_form.h"
#include "static_graph/autodiff/gradient_sums.h"
#include "static_graph/foreign/foreign_operator.h"
#include "static_graph/ir/builder.h"
#include "static_graph/translate/translation.h"
#include "static_graph/translate/variable_scope.h"

namespace switchyard::static_graph {

// Returns `gradient`, the value of `name`, as one of `of`, which is `what`: a
// scalar, where programs of before 2.5 have a [1]. ArgumentError for a gradient
// of another dtype or shape.
absl::StatusOr<ir::Value> AsGradientOf(ir::Builder& builder,
                                       const std::string& name,
                                       ir::Value gradient,
                                       std::string_view what, ir::Value of);

// Sets `variable` to the gradient of `target` that `sums` has:
// dense, zeros if nothing came. Errors as of WriteVariable.
absl::Status WriteGradient(ir::Builder& builder, ir::Value target,
                           const std::string& variable,
                           const GradientSums& sums,
                           const Translation& translation,
                           VariableScope* scope);

// Adds the operator once more and its gradient, and sets the outputs of `op` in
// `scope`. `form` is FindDifferentiated(op.type). Common subexpressions later
// merge the repeated call with the first one, or it is unused. Errors as of
// TranslateOperator.
absl::Status TranslateGradient(const ForeignOperator& op,
                               const phi::LegacyForm& form,
                               ir::Builder& builder, VariableScope* scope,
                               Translation* translation);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATE_GRADIENT_H_
