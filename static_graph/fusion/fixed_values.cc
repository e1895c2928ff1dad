// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/fixed_values.h"

#include <algorithm>

#include "static_graph/ir/op_definition.h"

namespace switchyard::static_graph {

FixedValues::FixedValues(const ir::Program& program) {
  for (const ir::NamedValue& update : program.new_states()) {
    const ir::Value state =
        program.FindArgument(ir::ArgumentRole::kState, update.name);
    // A state that is updated by its own value does not change.
    if (update.value != state) updated_.push_back(state);
  }
}

bool FixedValues::IsFixed(ir::Value value) const {
  if (value.is_argument()) {
    return value.role() == ir::ArgumentRole::kState &&
           std::find(updated_.begin(), updated_.end(), value) == updated_.end();
  }
  const ir::Operation* const op = value.defining_op();
  if (op->has<ir::ConstantTrait>()) return true;
  const auto known = fixed_.find(op);
  return known != fixed_.end() && known->second;
}

void FixedValues::Add(const ir::Operation& op) {
  if (op.num_results() == 0) return;
  const std::vector<ir::Value> operands = op.operands();
  const bool repeatable = op.has<ir::PureTrait>() &&
                          !op.has<ir::RandomTrait>() && op.num_regions() == 0 &&
                          !operands.empty();
  fixed_[&op] = repeatable && std::all_of(operands.begin(), operands.end(),
                                          [this](ir::Value operand) {
                                            return IsFixed(operand);
                                          });
}

}  // namespace switchyard::static_graph
