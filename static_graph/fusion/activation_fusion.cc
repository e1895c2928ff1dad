// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/activation_fusion.h"

#include <optional>

#include "static_graph/fusion/activation_patterns.h"
#include "static_graph/fusion/replacement.h"
#include "static_graph/ir/builder.h"

namespace switchyard::static_graph {

absl::StatusOr<bool> ActivationFusion::Run(ir::Program& program) {
  bool changed = false;
  ir::Builder builder(program.context());
  for (ir::Operation* op : ir::AllOperations(program.entry())) {
    const std::optional<GatedPattern> gated = ReadGated(*op);
    const std::optional<GatedSumPattern> sum = ReadGatedSum(*op);
    if (!gated.has_value() && !sum.has_value()) continue;
    const Replacement replacement(may_replace_, op);
    builder.SetInsertionPoint(op);
    absl::StatusOr<ir::Value> fused = gated.has_value()
                                          ? BuildGated(builder, *gated)
                                          : BuildGatedSum(builder, *sum);
    if (absl::IsNotFound(fused.status())) continue;
    if (!fused.ok()) return fused.status();
    SY_ASSIGN_OR_RETURN(const bool allowed, replacement.Allowed());
    if (!allowed) continue;
    fused->SetHint(op->result(0).hint_attribute());
    op->result(0).ReplaceAllUsesWith(*fused);
    op->Erase();
    changed = true;
  }
  return changed;
}

}  // namespace switchyard::static_graph
