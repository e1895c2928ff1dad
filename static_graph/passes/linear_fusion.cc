// SPDX-License-Identifier: Apache-2.0
#include "static_graph/passes/linear_fusion.h"

#include <optional>
#include <vector>

#include "static_graph/dialect/linear_patterns.h"
#include "static_graph/ir/builder.h"

namespace switchyard::static_graph {
namespace {

// The only user of the result of `op`, in its block; null if there is none.
ir::Operation* SoleUser(const ir::Operation& op) {
  const ir::Value value = op.result(0);
  if (!value.has_one_use()) return nullptr;
  ir::Operation* const user = (*value.uses().begin()).owner();
  return user->parent() == op.parent() ? user : nullptr;
}

// Puts one operation in the place of the last of `parts`, and erases all.
absl::StatusOr<bool> Rewrite(ir::Builder& builder, const LinearPattern& linear,
                             const std::vector<ir::Operation*>& parts) {
  const ir::Value result = parts.back()->result(0);
  builder.SetInsertionPoint(parts.back());
  absl::StatusOr<ir::Value> fused = BuildLinear(builder, linear);
  if (absl::IsNotFound(fused.status())) return false;
  if (!fused.ok()) return fused.status();
  fused->SetHint(result.hint_attribute());
  result.ReplaceAllUsesWith(*fused);
  for (size_t i = parts.size(); i-- > 0;) parts[i]->Erase();
  return true;
}

}  // namespace

absl::StatusOr<bool> LinearFusion::Run(ir::Program& program) {
  bool changed = false;
  ir::Builder builder(program.context());
  // From the last on: what is erased with a product stands after it.
  const std::vector<ir::Operation*> all = ir::AllOperations(program.entry());
  for (size_t i = all.size(); i-- > 0;) {
    std::optional<LinearPattern> linear = ReadLinear(*all[i]);
    if (!linear.has_value()) continue;
    std::vector<ir::Operation*> parts = {all[i]};
    while (ir::Operation* const user = SoleUser(*parts.back())) {
      if (!TakeStep(*user, parts.back()->result(0), &*linear)) break;
      parts.push_back(user);
    }
    if (!linear->has_epilogue()) continue;
    SY_ASSIGN_OR_RETURN(const bool rewritten, Rewrite(builder, *linear, parts));
    changed |= rewritten;
  }
  return changed;
}

}  // namespace switchyard::static_graph
