// SPDX-License-Identifier: Apache-2.0
#include "mesh/cancel_gathers.h"

#include "mesh/mesh_dialect.h"

namespace mesh {

absl::StatusOr<bool> CancelGathers::Run(ir::Program& program) {
  bool changed = false;
  for (ir::Operation* op : ir::AllOperations(program.entry())) {
    if (op->name() != kCutOp && op->name() != kGatherOp) continue;
    const ir::Operation* inner = op->operand(0).defining_op();
    if (inner == nullptr || inner->name() == op->name() ||
        (inner->name() != kCutOp && inner->name() != kGatherOp) ||
        inner->operand(0).type() != op->result(0).type()) {
      continue;
    }
    op->result(0).ReplaceAllUsesWith(inner->operand(0));
    op->Erase();
    changed = true;
  }
  return changed;
}

}  // namespace mesh
