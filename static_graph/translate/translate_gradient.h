// SPDX-License-Identifier: Apache-2.0
// TranslateGradient: a gradient without a form of its own
// (static_graph/translate/gradient_operator.h), by differentiating the operator
// whose gradient it is.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATE_GRADIENT_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATE_GRADIENT_H_

#include "framework/base/status.h"
#include "phi/legacy/legacy_form.h"
#include "static_graph/ir/builder.h"
#include "static_graph/translate/program_desc.h"
#include "static_graph/translate/translation.h"
#include "static_graph/translate/variable_scope.h"

namespace switchyard::static_graph {

// Adds the operator once more, its gradient, and sets what `op` writes in
// `scope`. `form` is FindDifferentiated(op.type()). The call that is there once
// more is the same value as the first one, or nobody reads it. Errors as of
// TranslateOperator.
absl::Status TranslateGradient(const translate::OpDesc& op,
                               const phi::LegacyForm& form,
                               ir::Builder& builder, VariableScope* scope,
                               Translation* translation);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_TRANSLATE_GRADIENT_H_
