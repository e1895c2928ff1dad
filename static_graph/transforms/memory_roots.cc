// SPDX-License-Identifier: Apache-2.0
#include "static_graph/transforms/memory_roots.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "static_graph/dialect/dialect_names.h"
#include "static_graph/dialect/op_traits.h"

namespace switchyard::static_graph {
namespace {

using Ints = absl::Span<const int>;

// The operand in whose memory the result lies; null if it has its own.
ir::Value OperandInMemory(const ir::Operation& op, int result) {
  int operand = ir::AliasOf(op, result).view_of;
  const std::optional<Ints> inplace = op.attribute(kInplaceAttr).As<Ints>();
  const auto index = static_cast<size_t>(result);
  if (operand < 0 && inplace.has_value() && index < inplace->size()) {
    operand = (*inplace)[index];
  }
  const bool valid = operand >= 0 && operand < op.num_operands();
  return valid ? op.operand(operand) : ir::Value();
}

}  // namespace

MemoryRoots::MemoryRoots(const ir::Block& block) {
  positions_.reserve(block.size());
  last_uses_.reserve(block.size());
  for (const ir::Operation* op : block) {
    positions_.emplace(op, static_cast<int>(positions_.size()));
  }
  for (const ir::Operation* op : block) {
    for (ir::Value result : op->results()) {
      const ir::Value operand = OperandInMemory(*op, result.index());
      if (operand) roots_[result] = RootOf(operand);
      AddUses(result, block);
    }
  }
}

ir::Value MemoryRoots::RootOf(ir::Value value) const {
  // Roots may have been joined to others since.
  for (auto it = roots_.find(value); it != roots_.end();
       it = roots_.find(value)) {
    value = it->second;
  }
  return value;
}

void MemoryRoots::AddUses(ir::Value value, const ir::Block& block) {
  int& last = last_uses_.try_emplace(RootOf(value), -1).first->second;
  for (const ir::OpOperand& use : value.uses()) {
    // A use inside of control flow is one by the operation of this block.
    const ir::Operation* user = use.owner();
    while (user->parent() != &block) user = user->parent_op();
    last = std::max(last, positions_.at(user));
  }
}

int MemoryRoots::LastUse(ir::Value root) const {
  const auto found = last_uses_.find(root);
  return found == last_uses_.end() ? -1 : found->second;
}

void MemoryRoots::Join(ir::Value result, ir::Value operand) {
  const ir::Value from = RootOf(result);
  const ir::Value to = RootOf(operand);
  if (from == to) return;
  roots_[from] = to;
  last_uses_[to] = std::max(LastUse(to), LastUse(from));
}

bool OwnsMemory(ir::Value value, const ir::Block& block) {
  const ir::Operation* op = value.defining_op();
  if (op == nullptr || op->parent() != &block || op->num_regions() > 0) {
    return false;
  }
  return op->has<KernelCallTrait>();
}

}  // namespace switchyard::static_graph
