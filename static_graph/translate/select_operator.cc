// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/select_operator.h"

#include <vector>

#include "static_graph/translate/control/structured_control.h"
#include "static_graph/translate/translate_operator.h"

namespace switchyard::static_graph {

absl::Status TranslateSelect(const ControlOperator& select,
                             ir::Builder& builder, VariableScope* scope,
                             Translation* translation) {
  SY_ASSIGN_OR_RETURN(const ir::Value mask,
                      ReadVariable(builder, *scope, select.condition));
  std::vector<ir::Value> values;
  for (const std::string& name : select.values) {
    SY_ASSIGN_OR_RETURN(values.emplace_back(),
                        ReadVariable(builder, *scope, name));
  }
  // A stand-in for a missing value becomes a value of the other's type.
  for (size_t i = 0; values.size() == 2 && i < 2; ++i) {
    const ir::Type other = values[1 - i].type();
    if (!translation->stand_ins.Differs(values[i], other)) continue;
    SY_ASSIGN_OR_RETURN(
        values[i], BuildUnwritten(builder, other.As<ir::TensorType>().spec()));
    break;
  }
  SY_ASSIGN_OR_RETURN(const ir::Value chosen,
                      BuildSelection(builder, mask, values));
  return WriteVariable(select.result, chosen, *translation, scope);
}

}  // namespace switchyard::static_graph
