// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/operation.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <new>

#include "static_graph/ir/block.h"

namespace switchyard::static_graph::ir {
namespace {

using detail::ValueStorage;

// The parts of the one allocation follow each other without padding.
static_assert(alignof(ValueStorage) == alignof(Operation) &&
              alignof(OpOperand) == alignof(Operation) &&
              alignof(Region) == alignof(Operation));
static_assert(sizeof(ValueStorage) % alignof(Operation) == 0 &&
              sizeof(OpOperand) % alignof(Operation) == 0);
static_assert(alignof(Operation) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

bool NameLess(const NamedAttribute& a, const NamedAttribute& b) {
  return a.name.text() < b.name.text();
}

struct OperatorDelete {
  void operator()(char* memory) const { ::operator delete(memory); }
};

}  // namespace

Operation* Operation::Create(const OperationState& state) {
  const size_t before = state.results.size() * sizeof(ValueStorage);
  const size_t size = before + sizeof(Operation) +
                      state.operands.size() * sizeof(OpOperand) +
                      static_cast<size_t>(state.regions) * sizeof(Region);
  // Only the memory and the attributes' can be refused: freed if the latter is.
  std::unique_ptr<char, OperatorDelete> memory(
      static_cast<char*>(::operator new(size)));
  Operation* op = new (memory.get() + before) Operation(state);
  for (size_t i = 0; i < state.results.size(); ++i) {
    char* place = memory.get() + before - (i + 1) * sizeof(ValueStorage);
    auto* result = new (place) ValueStorage();
    result->type = state.results[i];
    result->index = static_cast<uint32_t>(i);
  }
  OpOperand* operand = op->operand_array();
  for (Value value : state.operands)
    (new (operand++) OpOperand(op))->Set(value);
  Region* region = op->region_array();
  for (int i = 0; i < state.regions; ++i) new (region++) Region(op);
  static_cast<void>(memory.release());  // The operation's own from here on.
  return op;
}

Operation::Operation(const OperationState& state)
    : definition_(state.definition),
      location_(state.location),
      attributes_(state.attributes),
      num_results_(static_cast<uint32_t>(state.results.size())),
      num_operands_(static_cast<uint32_t>(state.operands.size())),
      num_regions_(static_cast<uint32_t>(state.regions)) {
  std::sort(attributes_.begin(), attributes_.end(), NameLess);
}

Operation::~Operation() {
  for (int i = 0; i < num_regions(); ++i) region(i).~Region();
  for (int i = 0; i < num_operands(); ++i) use(i).~OpOperand();
}

size_t Operation::size() const {
  constexpr size_t kAllocation = 8;  // What the allocator adds to a request.
  size_t size = kAllocation + num_results_ * sizeof(ValueStorage) +
                sizeof(Operation) + num_operands_ * sizeof(OpOperand) +
                num_regions_ * sizeof(Region);
  if (!attributes_.empty()) {
    size += kAllocation + attributes_.capacity() * sizeof(NamedAttribute);
  }
  return size;
}

OpOperand* Operation::operand_array() const {
  return reinterpret_cast<OpOperand*>(const_cast<Operation*>(this) + 1);
}

Region* Operation::region_array() const {
  return reinterpret_cast<Region*>(operand_array() + num_operands_);
}

Region& Operation::region(int i) const { return region_array()[i]; }
Block& Operation::block(int i) const { return region(i).block(); }

void Operation::DropOperands() {
  for (int i = 0; i < num_operands(); ++i) use(i).Set(Value());
}

void Operation::Free() {
  char* memory = reinterpret_cast<char*>(this) -
                 static_cast<size_t>(num_results_) * sizeof(ValueStorage);
  this->~Operation();
  ::operator delete(memory);
}

void Operation::Destroy() {
  assert(parent_ == nullptr);
  // Destructors come here, so nothing may be allocated: the operations inside
  // are strung together by the links that their blocks no longer need, each
  // block's after the last so far, which is the walk's worklist.
  Operation* last = this;
  for (Operation* op = this; op != nullptr; op = op->next_) {
    for (int i = 0; i < op->num_regions(); ++i) {
      const Block& block = op->block(i);
      if (block.empty()) continue;
      last->next_ = block.first_;
      block.first_->previous_ = last;
      last = block.last_;
    }
  }
  // First all uses, so that the order of freeing does not matter to values.
  for (Operation* op = this; op != nullptr; op = op->next_) op->DropOperands();
  // Inner operations before those around them, which own their blocks.
  while (last != nullptr) {
    Operation* const op = last;
    last = op->previous_;
    assert(op->unused());
    op->Free();
  }
}

void Operation::Erase() {
  Remove();
  Destroy();
}

void Operation::Remove() {
  if (parent_ != nullptr) parent_->Unlink(this);
}

void Operation::MoveBefore(Operation* other) {
  if (other == this) return;
  Remove();
  other->parent_->Insert(this, other);
}

std::vector<Value> Operation::operands() const {
  std::vector<Value> values;
  values.reserve(num_operands_);
  for (int i = 0; i < num_operands(); ++i) values.push_back(operand(i));
  return values;
}

Value Operation::result(int i) const {
  auto* end = reinterpret_cast<ValueStorage*>(const_cast<Operation*>(this));
  return Value(end - (i + 1));
}

std::vector<Value> Operation::results() const {
  std::vector<Value> values;
  values.reserve(num_results_);
  for (int i = 0; i < num_results(); ++i) values.push_back(result(i));
  return values;
}

bool Operation::unused() const {
  for (int i = 0; i < num_results(); ++i) {
    if (result(i).has_uses()) return false;
  }
  return true;
}

Attribute Operation::attribute(std::string_view name) const {
  for (const NamedAttribute& attribute : attributes_) {
    if (attribute.name.text() == name) return attribute.value;
  }
  return Attribute();
}

void Operation::SetAttribute(Attribute name, Attribute value) {
  const NamedAttribute entry = {name, value};
  const auto place =
      std::lower_bound(attributes_.begin(), attributes_.end(), entry, NameLess);
  if (place != attributes_.end() && place->name == name) {
    place->value = value;
  } else {
    // Room for one more: few operations are given several.
    const auto index = place - attributes_.begin();
    attributes_.reserve(attributes_.size() + 1);
    attributes_.insert(attributes_.begin() + index, entry);
  }
}

void Operation::RemoveAttribute(std::string_view name) {
  const auto is_it = [name](const NamedAttribute& attribute) {
    return attribute.name.text() == name;
  };
  attributes_.erase(
      std::remove_if(attributes_.begin(), attributes_.end(), is_it),
      attributes_.end());
}

Operation* Operation::parent_op() const {
  return parent_ == nullptr ? nullptr : parent_->parent_op();
}

bool Operation::IsAncestorOf(const Operation* other) const {
  while (other != nullptr && other != this) other = other->parent_op();
  return other == this;
}

bool IsPure(const Operation& op) {
  if (!op.has<PureTrait>()) return false;
  for (int i = 0; i < op.num_regions(); ++i) {
    for (const Operation* inner : AllOperations(op.block(i))) {
      if (!inner->has<PureTrait>() && !inner->has<TerminatorTrait>()) {
        return false;
      }
    }
  }
  return true;
}

ResultAlias GetAlias(const Operation& op, int result) {
  const auto* interface = op.interface<AliasInterface>();
  return interface == nullptr ? ResultAlias() : interface->alias(op, result);
}

}  // namespace switchyard::static_graph::ir
