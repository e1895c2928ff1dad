// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/value.h"

#include "static_graph/ir/block.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph::ir {
namespace {

const detail::ArgumentStorage& AsArgument(const detail::ValueStorage& storage) {
  return static_cast<const detail::ArgumentStorage&>(storage);
}

}  // namespace

std::string_view Name(ArgumentRole role) {
  switch (role) {
    case ArgumentRole::kNone:
      return "none";
    case ArgumentRole::kFeed:
      return "feed";
    case ArgumentRole::kState:
      return "state";
  }
  return "none";
}

std::string_view Value::hint() const {
  return storage_->hint ? storage_->hint.text() : std::string_view();
}

Operation* Value::defining_op() const {
  if (storage_->is_argument) return nullptr;
  // Result i lies i + 1 places before its operation.
  return reinterpret_cast<Operation*>(storage_ + storage_->index + 1);
}

Block* Value::argument_block() const {
  return storage_->is_argument ? AsArgument(*storage_).owner : nullptr;
}

ArgumentRole Value::role() const {
  return storage_->is_argument ? AsArgument(*storage_).role
                               : ArgumentRole::kNone;
}

Attribute Value::argument_name_attribute() const {
  return storage_->is_argument ? AsArgument(*storage_).name : Attribute();
}

std::string_view Value::argument_name() const {
  const Attribute name = argument_name_attribute();
  return name ? name.text() : std::string_view();
}

Block* Value::parent_block() const {
  return storage_->is_argument ? argument_block() : defining_op()->parent();
}

bool Value::has_one_use() const {
  const UseRange range = uses();
  if (!(range.begin() != range.end())) return false;
  return !(++range.begin() != range.end());
}

void Value::ReplaceAllUsesWith(Value other) const {
  if (other == *this) return;
  while (storage_->first_use != nullptr) storage_->first_use->Set(other);
}

int OpOperand::index() const {
  return static_cast<int>(this - &owner_->use(0));
}

void OpOperand::Unlink() {
  if (value_ == nullptr) return;
  *link_ = next_;
  if (next_ != nullptr) next_->link_ = link_;
  value_ = nullptr;
}

void OpOperand::Set(Value value) {
  Unlink();
  value_ = value.storage_;
  if (value_ == nullptr) return;
  next_ = value_->first_use;
  if (next_ != nullptr) next_->link_ = &next_;
  link_ = &value_->first_use;
  value_->first_use = this;
}

}  // namespace switchyard::static_graph::ir
