// SPDX-License-Identifier: Apache-2.0
// The backward of cf.kept_gradient, and of cf.custom_gradient: its region,
// copied to where the gradient is needed. The copies are ordinary operations,
// so their gradients are had as those of any others.
#include "static_graph/autodiff/recompute.h"
#include "static_graph/autodiff/reverse.h"
#include "static_graph/dialect/custom_gradient.h"
#include "static_graph/ir/block.h"

namespace switchyard::static_graph {

void Reverse::MarkCustomGradient(const ir::Operation& op) {
  for (ir::Value target : CustomGradientTargets(op)) {
    if (!required(target)) continue;
    for (ir::Value result : op.results()) MarkResult(result);
    return;
  }
}

void Reverse::MarkKeptGradient(const ir::Operation& op) {
  if (required(op.operand(1))) MarkResult(op.result(0));
}

absl::Status Reverse::VisitCustomGradient(const ir::Operation& op) {
  const std::vector<ir::Value> targets = CustomGradientTargets(op);
  bool needed = false;
  for (ir::Value target : targets) needed |= required(target);
  if (!needed) return absl::OkStatus();
  const ir::Block& rule = op.block(0);
  ir::ValueMap map;
  for (ir::Value result : op.results()) {
    const ir::Value known = gradient(result);
    absl::StatusOr<ir::Value> sum =
        known ? Dense(result, known) : Filled(result, 0.0);
    if (!sum.ok()) return sum.status();
    map[rule.argument(result.index())] = *sum;
    map[rule.argument(op.num_results() + result.index())] = result;
  }
  const ir::Operation* before = builder_->previous();
  ir::Operation* const after =
      before == nullptr ? builder_->block()->front() : before->next();
  const ir::Operation* yield = rule.terminator();
  for (const ir::Operation* inner : rule) {
    if (inner == yield) break;
    builder_->block()->Insert(ir::Clone(*inner, map).release(), after);
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    const ir::Value contribution =
        Mapped(map, yield->operand(static_cast<int>(i)));
    SY_RETURN_IF_ERROR(Accumulate(targets[i], contribution));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
