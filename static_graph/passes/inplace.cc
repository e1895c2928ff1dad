// SPDX-License-Identifier: Apache-2.0
#include "static_graph/passes/inplace.h"

#include <algorithm>
#include <vector>

#include "static_graph/dialect/alias_analysis.h"
#include "static_graph/dialect/kernel_attributes.h"

namespace switchyard::static_graph {
namespace {

// True if no operand but number `except` lies in the memory of `root`.
bool IsOnlyOperandIn(const MemoryRoots& roots, const ir::Operation& op,
                     int except, ir::Value root) {
  for (int i = 0; i < op.num_operands(); ++i) {
    if (i != except && roots.FindRoot(op.operand(i)) == root) return false;
  }
  return true;
}

// The operand whose memory the result can take, by the rules of the header; -1
// if there is none.
int OperandFor(const MemoryRoots& roots, const ir::Operation& op, int result) {
  const ir::ResultAlias alias = ir::GetAlias(op, result);
  const int i = alias.inplace_of;
  if (alias.view_of >= 0 || i < 0 || i >= op.num_operands()) return -1;
  const ir::Value operand = op.operand(i);
  const ir::TensorType type = op.result(result).tensor_type();
  if (!type || operand.type() != type || !type.shape().known() ||
      type.kind() != TensorKind::kDense) {
    return -1;
  }
  // A view may be strided, where the kernel would write without gaps.
  const ir::Value root = roots.FindRoot(operand);
  const bool dies = roots.LastUse(root) == roots.GetPosition(&op);
  const bool taken = OwnsMemory(root, *op.parent()) && dies &&
                     !IsView(operand) && IsOnlyOperandIn(roots, op, i, root);
  return taken ? i : -1;
}

bool MarkCall(ir::Context* context, MemoryRoots& roots, ir::Operation* op) {
  if (!op->has<ir::InplaceTrait>() || op->attribute(kInplaceAttr)) {
    return false;
  }
  std::vector<int> operands;
  for (int i = 0; i < op->num_results(); ++i) {
    const int operand = OperandFor(roots, *op, i);
    const bool again =
        std::find(operands.begin(), operands.end(), operand) != operands.end();
    operands.push_back(again ? -1 : operand);
  }
  const auto none = [](int operand) { return operand < 0; };
  if (std::all_of(operands.begin(), operands.end(), none)) return false;
  op->SetAttribute(context->GetString(kInplaceAttr),
                   context->GetAttribute(absl::MakeConstSpan(operands)));
  for (int i = 0; i < op->num_results(); ++i) {
    const int operand = operands[static_cast<size_t>(i)];
    if (operand >= 0) roots.Join(op->result(i), op->operand(operand));
  }
  return true;
}

bool MarkBlock(ir::Context* context, ir::Block& block) {
  MemoryRoots roots(block);
  bool changed = false;
  for (ir::Operation* op : block) {
    changed |= MarkCall(context, roots, op);
    // The recursion is as deep as regions are nested: the verifier bounds it.
    for (int i = 0; i < op->num_regions(); ++i) {
      changed |= MarkBlock(context, op->block(i));
    }
  }
  return changed;
}

}  // namespace

absl::StatusOr<bool> Inplace::Run(ir::Program& program) {
  return MarkBlock(program.context(), program.entry());
}

}  // namespace switchyard::static_graph
