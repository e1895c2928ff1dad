// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/block.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace switchyard::static_graph::ir {

std::vector<Value> Block::arguments() const {
  std::vector<Value> values;
  values.reserve(arguments_.size());
  for (const auto& argument : arguments_)
    values.push_back(Value(argument.get()));
  return values;
}

Value Block::AddArgument(Type type) {
  return AddArgument(type, ArgumentRole::kNone, Attribute());
}

Value Block::AddArgument(Type type, ArgumentRole role, Attribute name) {
  auto argument = std::make_unique<detail::ArgumentStorage>();
  argument->type = type;
  argument->index = static_cast<uint32_t>(arguments_.size());
  argument->is_argument = true;
  argument->owner = this;
  argument->role = role;
  argument->name = name;
  const Value value(argument.get());
  // Room first: after the index's entry nothing may fail.
  if (arguments_.size() == arguments_.capacity()) {
    arguments_.reserve(2 * arguments_.size() + 1);
  }
  // The context, which owns the text, outlives the block.
  if (name) by_name_.emplace(name.text(), argument.get());
  arguments_.push_back(std::move(argument));
  return value;
}

Value Block::FindArgument(ArgumentRole role, std::string_view name) const {
  detail::ArgumentStorage* first = nullptr;
  const auto [begin, end] = by_name_.equal_range(name);
  for (auto entry = begin; entry != end; ++entry) {
    detail::ArgumentStorage* argument = entry->second;
    if (argument->role != role) continue;
    if (first == nullptr || argument->index < first->index) first = argument;
  }
  return Value(first);
}

void Block::EraseUnusedArguments() {
  for (auto entry = by_name_.begin(); entry != by_name_.end();) {
    const bool used = entry->second->first_use != nullptr;
    entry = used ? std::next(entry) : by_name_.erase(entry);
  }
  arguments_.erase(std::remove_if(arguments_.begin(), arguments_.end(),
                                  [](const auto& argument) {
                                    return argument->first_use == nullptr;
                                  }),
                   arguments_.end());
  for (size_t i = 0; i < arguments_.size(); ++i) {
    arguments_[i]->index = static_cast<uint32_t>(i);
  }
}

Operation* Block::terminator() const {
  const bool ends = last_ != nullptr && last_->has<TerminatorTrait>();
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
  by_name_.reserve(by_name_.size() + from.by_name_.size());
  for (auto& argument : from.arguments_) {
    argument->owner = this;
    argument->index = static_cast<uint32_t>(arguments_.size());
    arguments_.push_back(std::move(argument));
  }
  by_name_.merge(from.by_name_);
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
