// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/control/sub_blocks.h"

#include "absl/strings/str_cat.h"
#include "static_graph/translate/control/control_operators.h"

namespace switchyard::static_graph {
namespace {

// The blocks that an operator runs; none where none can be told.
std::vector<int> SubBlocks(const ForeignOperator& op) {
  if (ControlKindOf(op.type) == ControlKind::kNone) return {};
  const absl::StatusOr<ControlOperator> control = ReadControlOperator(op);
  std::vector<int> blocks;
  if (!control.ok()) return blocks;
  for (const int block : {control->block, control->else_block}) {
    if (block >= 0) blocks.push_back(block);
  }
  return blocks;
}

std::vector<int> SubBlocks(const ForeignBlock& block, int index) {
  if (ControlKindOf(block.TypeOf(index)) == ControlKind::kNone) return {};
  return SubBlocks(block.ops(index));
}

void CountReads(const ForeignOperator& op, SharedVariables::Counts* reads) {
  for (const ForeignSlot& slot : op.inputs) {
    for (const std::string& name : slot.variables) ++(*reads)[name];
  }
}

}  // namespace

bool IsGradientBlock(const ForeignProgram& program, int block) {
  // A block that exporters of merged gradients make names itself.
  const int forward = program.blocks(block).forward_block();
  return block > 0 && forward > 0 && forward != block;
}

BlockOwners::BlockOwners(const ForeignProgram& program)
    : owners_(program.blocks_size()) {
  for (int block = 0; block < program.blocks_size(); ++block) {
    const ForeignBlock& desc = program.blocks(block);
    for (int i = 0; i < desc.ops_size(); ++i) {
      for (const int sub_block : SubBlocks(desc, i)) {
        if (sub_block >= program.blocks_size()) continue;
        if (owners_[sub_block].block < 0) owners_[sub_block] = {block, i};
      }
    }
  }
}

absl::Status BlockOwners::Check(int block, int index, int sub_block) const {
  const int count = static_cast<int>(owners_.size());
  if (sub_block < 0 || sub_block >= count) {
    return ArgumentError("sub_block", absl::StrCat("in [0, ", count, ")"),
                         absl::StrCat(sub_block));
  }
  int depth = 0;
  for (int around = block; around >= 0; around = owners_[around].block) {
    if (around == sub_block) {
      return ArgumentError("sub_block", "a block that does not contain itself",
                           absl::StrCat(sub_block));
    }
    if (++depth > kMaxBlockDepth) {
      return ArgumentError("sub_block",
                           absl::StrCat("at most ", kMaxBlockDepth,
                                        " blocks deep inside the main block"),
                           "a deeper one");
    }
    if (around == 0) break;
  }
  const Owner& owner = owners_[sub_block];
  if (owner.block == block && owner.index == index) return absl::OkStatus();
  return ArgumentError("sub_block", "a block that no other operator runs",
                       absl::StrCat(sub_block, ", as of block ", owner.block,
                                    ", operator ", owner.index));
}

SharedVariables::SharedVariables(const ForeignProgram& program,
                                 absl::Span<const std::string> fetches,
                                 LoadBudget* budget)
    : program_(program),
      budget_(budget),
      blocks_(program.blocks_size()),
      reads_(static_cast<size_t>(program.blocks(0).vars_size())) {
  budget->Take(reads_.size() * sizeof(int) + blocks_.size() * sizeof(Block));
  for (int i = 0; i < program.blocks_size(); ++i) {
    if (IsGradientBlock(program, i)) continue;
    for (const ForeignOperator& op : program.blocks(i).ops()) {
      if (budget->exceeded()) return;
      for (const ForeignSlot& slot : op.inputs) {
        for (const std::string& name : slot.variables) AddRead(name);
      }
    }
  }
  for (int i = 0; i < program.blocks(0).ops_size(); ++i) {
    for (const int block : SubBlocks(program.blocks(0), i)) Fill(block);
  }
  for (const std::string& name : fetches) AddRead(name);
}

void SharedVariables::AddRead(const std::string& variable) {
  const int number = program_.blocks(0).IndexOf(variable);
  if (number >= 0) {
    ++reads_[number];
  } else {
    Count(variable, 1, &other_reads_);
  }
}

void SharedVariables::Count(const std::string& variable, int count,
                            Counts* counts) const {
  const auto [found, added] = counts->try_emplace(variable, 0);
  if (added) budget_->Take(LoadBudget::SizeOfEntry(variable));
  found->second += count;
}

int SharedVariables::CountOf(const std::string& variable) const {
  const int number = program_.blocks(0).IndexOf(variable);
  if (number >= 0) return reads_[number];
  const auto found = other_reads_.find(variable);
  return found == other_reads_.end() ? 0 : found->second;
}

// Recursive: no deeper than kMaxBlockDepth, and each block once.
void SharedVariables::Fill(int index) {
  const ForeignBlock& block = program_.blocks(index);
  Block& facts = blocks_[index];
  HashSet<std::string> seen;  // It declares or has written them.
  for (int i = 0; i < block.vars_size(); ++i) {
    if (!block.facts(i).persistable) seen.insert(std::string(block.NameOf(i)));
  }
  const auto written = [&](const std::string& name) {
    if (!seen.insert(name).second) return;
    facts.writes.push_back(name);
    budget_->Take(2 * LoadBudget::SizeOfEntry(name));
  };
  for (const ForeignOperator& op : block.ops()) {
    if (budget_->exceeded()) return;
    for (const ForeignSlot& slot : op.inputs) {
      for (const std::string& name : slot.variables) {
        Count(name, 1, &facts.reads);
      }
    }
    const std::vector<int> inner = SubBlocks(op);
    // The block of a recurrent operator has variables of its own for results.
    if (inner.empty() || ControlKindOf(op.type) == ControlKind::kRecurrent) {
      for (const ForeignSlot& slot : op.outputs) {
        for (const std::string& name : slot.variables) written(name);
      }
    }
    for (const int sub_block : inner) {
      Fill(sub_block);
      for (const std::string& name : blocks_[sub_block].writes) written(name);
      for (const auto& [name, count] : blocks_[sub_block].reads) {
        Count(name, count, &facts.reads);
      }
    }
  }
}

SharedVariables::Counts SharedVariables::ReadsOf(
    absl::Span<const ForeignOperator> ops) const {
  Counts counts;
  for (const ForeignOperator& op : ops) {
    CountReads(op, &counts);
    for (const int block : SubBlocks(op)) {
      for (const auto& [name, count] : blocks_[block].reads) {
        counts[name] += count;
      }
    }
  }
  return counts;
}

bool SharedVariables::IsReadBeside(const Counts& counted,
                                   const std::string& variable) const {
  const auto own = counted.find(variable);
  return CountOf(variable) > (own == counted.end() ? 0 : own->second);
}

}  // namespace switchyard::static_graph
