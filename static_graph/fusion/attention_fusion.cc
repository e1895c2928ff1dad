// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/attention_fusion.h"

#include <optional>

#include "static_graph/fusion/attention_patterns.h"
#include "static_graph/fusion/replacement.h"
#include "static_graph/ir/builder.h"

namespace switchyard::static_graph {

absl::StatusOr<bool> AttentionFusion::Run(ir::Program& program) {
  bool changed = false;
  ir::Builder builder(program.context());
  for (ir::Operation* op : ir::AllOperations(program.entry())) {
    const std::optional<AttentionPattern> attention = ReadAttention(*op);
    if (!attention.has_value()) continue;
    const Replacement replacement(may_replace_, op);
    builder.SetInsertionPoint(op);
    absl::StatusOr<ir::Value> fused = BuildAttention(builder, *attention);
    if (absl::IsNotFound(fused.status())) continue;
    if (!fused.ok()) return fused.status();
    changed = true;
    // Its shape must be known as well as that of what it replaces.
    if (fused->type() != op->result(0).type()) {
      fused->defining_op()->Erase();
      continue;
    }
    SY_ASSIGN_OR_RETURN(const bool allowed, replacement.Allowed());
    if (!allowed) continue;
    fused->SetHint(op->result(0).hint_attribute());
    op->result(0).ReplaceAllUsesWith(*fused);
    op->Erase();
  }
  return changed;
}

}  // namespace switchyard::static_graph
