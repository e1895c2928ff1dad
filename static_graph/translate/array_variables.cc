// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/array_variables.h"

#include <string>

#include "framework/tensor/tensor_array.h"
#include "static_graph/translate/control/structured_control.h"

namespace switchyard::static_graph {

const phi::LegacySlot* UpdatedSlot(const phi::LegacyForm& form) {
  for (const phi::LegacySlot& slot : form.inputs) {
    if (form.output(slot.name) != nullptr) return &slot;
  }
  return nullptr;
}

ForeignOperator WithPrevious(const ForeignOperator& op,
                             const phi::LegacyForm& form,
                             const VariableScope& scope) {
  const std::string slot = UpdatedSlot(form)->name;
  ForeignOperator call = op;
  ForeignSlot* previous = nullptr;
  for (ForeignSlot& input : call.inputs) {
    if (input.name == slot) previous = &input;
  }
  // A slot without variables is as good as none.
  if (previous != nullptr && previous->count() > 0) return call;
  for (const ForeignSlot& output : op.outputs) {
    if (output.name == slot && output.count() == 1 &&
        scope.FindArray(output.variables[0]) != nullptr) {
      if (previous == nullptr) previous = &call.inputs.Add();
      *previous = output;
    }
  }
  return call;
}

absl::Status BeginArray(const std::string& name, ir::Value first,
                        ir::Builder& builder, VariableScope* scope) {
  const VariableFacts* const described = scope->FindArray(name);
  if (described == nullptr || scope->Get(name) || !first) {
    return absl::OkStatus();
  }
  SY_ASSIGN_OR_RETURN(TensorSpec spec, scope->SpecOf(*described));
  const Shape& shape = first.tensor_type().shape();
  const Shape element = ElementShape(spec.shape);
  Shape begun;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const bool holds =
        element.rank() == shape.rank() && MayEqual(element[axis], shape[axis]);
    begun.push_back(holds ? element[axis] : Dim::Unknown());
  }
  if (begun.rank() >= kMaxRank) return absl::OkStatus();
  spec.dtype = first.tensor_type().dtype();
  spec.shape = ArrayShape(Dim::Unknown(), begun);
  SY_ASSIGN_OR_RETURN(const ir::Value array, BuildUnwritten(builder, spec));
  scope->Set(name, array);
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
