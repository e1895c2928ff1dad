// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/array_variables.h"

#include <string>

namespace switchyard::static_graph {

using translate::OpDesc;

const phi::LegacySlot* UpdatedSlot(const phi::LegacyForm& form) {
  for (const phi::LegacySlot& slot : form.inputs) {
    if (form.output(slot.name) != nullptr) return &slot;
  }
  return nullptr;
}

OpDesc WithPrevious(const OpDesc& op, const phi::LegacyForm& form,
                    const VariableScope& scope) {
  const std::string slot = UpdatedSlot(form)->name;
  OpDesc call = op;
  OpDesc::Var* previous = nullptr;
  for (OpDesc::Var& input : *call.mutable_inputs()) {
    if (input.parameter() == slot) previous = &input;
  }
  // A slot without variables is as good as none.
  if (previous != nullptr && previous->arguments_size() > 0) return call;
  for (const OpDesc::Var& output : op.outputs()) {
    if (output.parameter() == slot && output.arguments_size() == 1 &&
        scope.FindArray(output.arguments(0)) != nullptr) {
      if (previous == nullptr) previous = call.add_inputs();
      *previous = output;
    }
  }
  return call;
}

}  // namespace switchyard::static_graph
