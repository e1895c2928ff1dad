// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/sequences.h"

#include <algorithm>

#include "static_graph/dialect/with_sequences.gen.h"
#include "static_graph/translate/control/named_op.h"

namespace switchyard::static_graph {
namespace {

int LevelsOf(ir::Value value) {
  return value ? value.tensor_type().lod_levels() : 0;
}

// The levels that the program describes a variable with.
int DescribedLevels(const VariableScope& scope, const std::string& name) {
  const VariableFacts* const variable = scope.Find(name);
  const bool dense =
      variable != nullptr && variable->Is(VariableKind::kDenseTensor);
  return dense ? variable->lod_levels : 0;
}

}  // namespace

bool HasUndescribedSequences(const VariableScope& scope,
                             const std::string& name, ir::Value value) {
  return LevelsOf(value) > 0 &&
         value.tensor_type().kind() == TensorKind::kDense &&
         LevelsOf(value) > DescribedLevels(scope, name);
}

absl::StatusOr<ir::Value> WithSequences(ir::Builder& builder,
                                        const VariableScope& scope,
                                        const std::string& name,
                                        absl::Span<const ir::Value> operands,
                                        ir::Value undescribed,
                                        ir::Value result) {
  if (!result || LevelsOf(result) > 0 ||
      result.tensor_type().kind() != TensorKind::kDense) {
    return result;
  }
  // Most programs have no sequences: no variable is looked up.
  const bool any =
      std::any_of(operands.begin(), operands.end(),
                  [](ir::Value operand) { return LevelsOf(operand) > 0; });
  if (!any) return result;
  const int levels = DescribedLevels(scope, name);
  const auto found = std::find_if(
      operands.begin(), operands.end(), [levels](ir::Value operand) {
        return levels > 0 && LevelsOf(operand) == levels;
      });
  const ir::Value like = found != operands.end() ? *found : undescribed;
  if (!like) return result;
  return ResultFor("the context must have",
                   WithSequencesOp::Build(builder, result, like));
}

}  // namespace switchyard::static_graph
