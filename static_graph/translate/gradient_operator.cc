// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/gradient_operator.h"

#include "absl/strings/str_cat.h"
#include "phi/legacy/forms/every_operator.h"

namespace switchyard::static_graph {
namespace {

constexpr std::string_view kGradTypeSuffix = "_grad";

// The operands as einsum_grad has them: variables that the operator wrote for
// their shapes.
constexpr char kShapesSlot[] = "x_shape";

// Returns `text` without its end; empty if it does not end so.
std::string_view Without(std::string_view end, std::string_view text) {
  if (text.size() < end.size()) return {};
  const size_t rest = text.size() - end.size();
  return text.substr(rest) == end ? text.substr(0, rest) : std::string_view();
}

ForeignSlot* AddSlot(const std::string& name, ForeignOperator* op) {
  ForeignSlot& slot = op->inputs.Add();
  slot.name = name;
  return &slot;
}

bool HasInput(const ForeignOperator& op, std::string_view name) {
  for (const ForeignSlot& slot : op.inputs) {
    if (slot.name == name) return true;
  }
  return false;
}

// Adds the gradient's inputs that come from the operator. Results of the
// operator are computed once more.
absl::Status AddGiven(const ForeignOperator& gradient,
                      const phi::LegacyForm& form, ForeignOperator* call) {
  for (const ForeignSlot& slot : gradient.inputs) {
    if (slot.variables.empty()) continue;
    const std::string& name = slot.name;
    if (form.input(name) != nullptr) {
      call->inputs.Add() = slot;
    } else if (name == kShapesSlot && form.input(kOperandsSlot) != nullptr) {
      AddSlot(kOperandsSlot, call)->variables = slot.variables;
    } else if (form.output(name) == nullptr &&
               form.output(SlotOfGradient(name)) == nullptr) {
      return ArgumentError(
          "inputs",
          absl::StrCat("slots of ", form.type, ", or their gradients"), name);
    }
  }
  return absl::OkStatus();
}

// Adds an input that the gradient lacks.
absl::Status AddByGradient(const ForeignSlot& slot, const phi::LegacyForm& form,
                           ForeignOperator* call) {
  const std::string name(SlotOfGradient(slot.name));
  if (form.input(name) == nullptr) {
    return ArgumentError("outputs",
                         absl::StrCat("gradients of slots of ", form.type),
                         slot.name);
  }
  if (HasInput(*call, name)) return absl::OkStatus();
  ForeignSlot* const added = AddSlot(name, call);
  for (const std::string& variable : slot.variables) {
    const size_t end = variable.find(kGradSuffix);
    if (end == std::string::npos) {
      return ArgumentError(name,
                           "given, or the name of its gradient's variable",
                           absl::StrCat("'", variable, "'"));
    }
    added->variables.Add() = variable.substr(0, end);
  }
  return absl::OkStatus();
}

}  // namespace

std::string_view SlotOfGradient(std::string_view slot) {
  return Without(kGradSuffix, slot);
}

const phi::LegacyForm* FindDifferentiated(std::string_view type) {
  if (phi::FindLegacyForm(type) != nullptr) return nullptr;
  const phi::LegacyForm* const form =
      phi::FindLegacyForm(Without(kGradTypeSuffix, type));
  return form != nullptr && form->grad_type == type ? form : nullptr;
}

absl::StatusOr<ForeignOperator> DifferentiatedCall(
    const ForeignOperator& gradient, const phi::LegacyForm& form) {
  ForeignOperator call;
  call.type = form.type;
  call.attrs = gradient.attrs;
  SY_RETURN_IF_ERROR(AddGiven(gradient, form, &call));
  for (const ForeignSlot& slot : gradient.outputs) {
    if (slot.variables.empty()) continue;
    SY_RETURN_IF_ERROR(AddByGradient(slot, form, &call));
  }
  return call;
}

}  // namespace switchyard::static_graph
