// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/alias_analysis.h"

#include <algorithm>
#include <optional>

#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/op_traits.h"

namespace switchyard::static_graph {
namespace {

using Ints = absl::Span<const int>;

// The operand that a result is written over; -1 if there is none.
int WrittenOver(const ir::Operation& op, int result) {
  if (op.has<ir::InplaceVariantTrait>()) {
    return ir::GetAlias(op, result).inplace_of;
  }
  const std::optional<Ints> inplace = op.attribute(kInplaceAttr).As<Ints>();
  const auto index = static_cast<size_t>(result);
  if (!inplace.has_value() || index >= inplace->size()) return -1;
  return (*inplace)[index];
}

// Whether a transform may have nothing to do: then the executor passes its
// operand on, and both are one tensor.
bool MayPassOn(const ir::Operation& op) {
  return op.attribute(kTransformAttr) && op.has<IdentityTrait>() &&
         op.num_operands() == 1 && op.num_results() == 1 &&
         op.operand(0).type() == op.result(0).type();
}

}  // namespace

MemorySource SourceOf(const ir::Operation& op, int result) {
  MemorySource source;
  source.operand = ir::GetAlias(op, result).view_of;
  source.view = source.operand >= 0;
  if (!source.view) source.operand = WrittenOver(op, result);
  if (source.operand >= op.num_operands()) source = MemorySource();
  return source;
}

bool IsView(ir::Value value) {
  const ir::Operation* op = value.defining_op();
  return op != nullptr && SourceOf(*op, value.index()).view;
}

bool OwnsMemory(ir::Value value, const ir::Block& block) {
  const ir::Operation* op = value.defining_op();
  if (op == nullptr || op->parent() != &block || op->num_regions() > 0) {
    return false;
  }
  return op->has<KernelCallTrait>();
}

// Without recursion: a program may have any number of views in a row.
std::vector<ir::Value> WithViews(ir::Value value) {
  std::vector<ir::Value> values = {value};
  HashSet<ir::Value> seen = {value};
  for (size_t i = 0; i < values.size(); ++i) {
    for (const ir::OpOperand& use : values[i].uses()) {
      const ir::Operation& user = *use.owner();
      if (!user.has<ir::ViewTrait>()) continue;
      for (ir::Value result : user.results()) {
        const MemorySource source = SourceOf(user, result.index());
        if (source.view && source.operand == use.index() &&
            seen.insert(result).second) {
          values.push_back(result);
        }
      }
    }
  }
  return values;
}

MemoryRoots::MemoryRoots(const ir::Block& block) {
  positions_.reserve(block.size());
  last_uses_.reserve(block.size());
  for (const ir::Operation* op : block) {
    positions_.emplace(op, static_cast<int>(positions_.size()));
  }
  for (const ir::Operation* op : block) {
    for (ir::Value result : op->results()) {
      const int operand = SourceOf(*op, result.index()).operand;
      if (operand >= 0) roots_[result] = FindRoot(op->operand(operand));
      AddUses(result, block);
    }
  }
  // From the end, since a value that is passed on may be passed on again.
  for (const ir::Operation* op = block.back(); op != nullptr;
       op = op->previous()) {
    if (!MayPassOn(*op)) continue;
    const int uses = LastUse(FindRoot(op->result(0)));
    int& last =
        last_uses_.try_emplace(FindRoot(op->operand(0)), -1).first->second;
    last = std::max(last, uses);
  }
}

ir::Value MemoryRoots::FindRoot(ir::Value value) const {
  // Roots may have been joined to others since.
  for (auto it = roots_.find(value); it != roots_.end();
       it = roots_.find(value)) {
    value = it->second;
  }
  return value;
}

void MemoryRoots::AddUses(ir::Value value, const ir::Block& block) {
  int& last = last_uses_.try_emplace(FindRoot(value), -1).first->second;
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
  const ir::Value from = FindRoot(result);
  const ir::Value to = FindRoot(operand);
  if (from == to) return;
  roots_[from] = to;
  last_uses_[to] = std::max(LastUse(to), LastUse(from));
}

}  // namespace switchyard::static_graph
