// SPDX-License-Identifier: Apache-2.0
// The backward of cf.custom_gradient: its region,
// copied to where the gradient is needed. The copies are ordinary operations,
// so their gradients are had as those of any others.
#include "static_graph/autodiff/reverse_regions.h"
#include "static_graph/dialect/custom_gradient.h"
#include "static_graph/ir/block.h"

namespace switchyard::static_graph {

absl::Status ReverseCustomGradient(const ir::Operation& op,
                                   GradientSums* sums) {
  const std::vector<ir::Value> targets = CustomGradientTargets(op);
  bool needed = false;
  for (ir::Value target : targets) needed |= sums->required(target);
  if (!needed) return absl::OkStatus();
  const ir::Block& rule = op.block(0);
  ir::ValueMap map;
  for (ir::Value result : op.results()) {
    SY_ASSIGN_OR_RETURN(map[rule.argument(result.index())],
                        sums->SumOrZeros(result));
    map[rule.argument(op.num_results() + result.index())] = result;
  }
  const ir::Builder& builder = sums->builder();
  const ir::Operation* before = builder.previous();
  ir::Operation* const after =
      before == nullptr ? builder.block()->front() : before->next();
  const ir::Operation* yield = rule.terminator();
  for (const ir::Operation* inner : rule) {
    if (inner == yield) break;
    builder.block()->Insert(ir::Clone(*inner, map).release(), after);
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    const ir::Value contribution =
        Mapped(map, yield->operand(static_cast<int>(i)));
    SY_RETURN_IF_ERROR(sums->Accumulate(targets[i], contribution));
  }
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
