// SPDX-License-Identifier: Apache-2.0
// Gradients of old programs that have no form of their own: of an operator that
// is made of others here, whose gradient is theirs. Such an operator
// (kron_grad) is read as the one that it is the gradient of.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_GRADIENT_OPERATOR_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_GRADIENT_OPERATOR_H_

#include <string>
#include <string_view>

#include "framework/base/status.h"
#include "phi/legacy/forms/legacy_form.h"
#include "static_graph/foreign/foreign_operator.h"

namespace switchyard::static_graph {

// The end of the name of a slot's, or a variable's, gradient in old programs;
// and the variable that stands for none.
inline constexpr std::string_view kGradSuffix = "@GRAD";
inline constexpr std::string_view kEmptyVariable = "@EMPTY@";

// The inputs of einsum. Its gradient knows them by the variables of XShape.
inline constexpr char kOperandsSlot[] = "Operands";

// Returns the form of the operator whose gradient `type` is; null if there is
// none, or if `type` has a form of its own.
const phi::LegacyForm* FindDifferentiated(std::string_view type);

// Returns the call of the operator with that form whose gradient `gradient` is:
// its attributes, and the inputs that it has of it. An input that it lacks is
// the variable after which the one for its gradient is named, since only its
// extents count. ArgumentError for a slot that the gradient can't have.
absl::StatusOr<ForeignOperator> DifferentiatedCall(
    const ForeignOperator& gradient, const phi::LegacyForm& form);

// Returns the slot of a gradient without its suffix; empty for another slot.
std::string_view SlotOfGradient(std::string_view slot);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_GRADIENT_OPERATOR_H_
