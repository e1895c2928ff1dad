// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/block.h"

#include <algorithm>
#include <utility>

namespace switchyard::static_graph::ir {

std::vector<Value> Block::arguments() const {
  std::vector<Value> values;
  values.reserve(arguments_.size());
  for (const auto& argument : arguments_)
    values.push_back(Value(argument.get()));
  return values;
}

Value Block::AddArgument(TensorType type) {
  return AddArgument(type, ArgumentRole::kNone, Attribute());
}

Value Block::AddArgument(TensorType type, ArgumentRole role, Attribute name) {
  auto argument = std::make_unique<detail::ArgumentStorage>();
  argument->type = type;
  argument->index = static_cast<uint32_t>(arguments_.size());
  argument->is_argument = true;
  argument->owner = this;
  argument->role = role;
  argument->name = name;
  arguments_.push_back(std::move(argument));
  return Value(arguments_.back().get());
}

void Block::EraseArgument(int i) {
  arguments_.erase(arguments_.begin() + i);
  for (size_t k = static_cast<size_t>(i); k < arguments_.size(); ++k) {
    arguments_[k]->index = static_cast<uint32_t>(k);
  }
}

Operation* Block::terminator() const {
  const bool ends = last_ != nullptr && last_->has(OpTrait::kTerminator);
  return ends ? last_ : nullptr;
}

void Block::Insert(Operation* op, Operation* before) {
  Operation* after = before == nullptr ? last_ : before->previous_;
  op->parent_ = this;
  op->previous_ = after;
  op->next_ = before;
  (after == nullptr ? first_ : after->next_) = op;
  (before == nullptr ? last_ : before->previous_) = op;
  ++size_;
}

void Block::Unlink(Operation* op) {
  (op->previous_ == nullptr ? first_ : op->previous_->next_) = op->next_;
  (op->next_ == nullptr ? last_ : op->next_->previous_) = op->previous_;
  op->parent_ = nullptr;
  op->previous_ = nullptr;
  op->next_ = nullptr;
  --size_;
}

void Block::TakeBody(Block& from) {
  // From here on nothing fails, so no argument is between two blocks.
  arguments_.reserve(arguments_.size() + from.arguments_.size());
  for (auto& argument : from.arguments_) {
    argument->owner = this;
    argument->index = static_cast<uint32_t>(arguments_.size());
    arguments_.push_back(std::move(argument));
  }
  from.arguments_.clear();
  for (Operation* op : from) {
    op->Remove();
    push_back(op);
  }
}

std::vector<Operation*> AllOperations(const Block& block) {
  std::vector<Operation*> all;
  std::vector<Operation*> pending;  // Firsts of lists still to be visited.
  if (!block.empty()) pending.push_back(block.front());
  while (!pending.empty()) {
    Operation* op = pending.back();
    pending.pop_back();
    all.push_back(op);
    if (op->next() != nullptr) pending.push_back(op->next());
    for (int i = op->num_regions() - 1; i >= 0; --i) {
      if (!op->block(i).empty()) pending.push_back(op->block(i).front());
    }
  }
  return all;
}

}  // namespace switchyard::static_graph::ir
