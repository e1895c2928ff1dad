// SPDX-License-Identifier: Apache-2.0
// Value and OpOperand: a value of a program, and its uses.
// static_graph/ir/operation.h says how both lie in memory.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_VALUE_H_
#define SWITCHYARD_STATIC_GRAPH_IR_VALUE_H_

#include <cstdint>
#include <string_view>
#include <utility>

#include "static_graph/ir/attribute.h"
#include "static_graph/ir/type.h"

namespace switchyard::static_graph::ir {

class Block;
class OpOperand;
class Operation;

// The role of an argument of a program's entry block.
enum class ArgumentRole : uint8_t {
  kNone,   // An argument of an inner block.
  kFeed,   // Each run is given one.
  kState,  // A parameter, a statistic, optimizer state, the RNG's offset.
};

// Returns "none", "feed" or "state".
std::string_view Name(ArgumentRole role);

namespace detail {

// The memory of a value: in front of its operation, or among its block's
// arguments.
struct ValueStorage {
  Type type;
  OpOperand* first_use = nullptr;
  Attribute hint;      // A kString, or null.
  uint32_t index = 0;  // Among the operation's results or block's arguments.
  bool is_argument = false;
};

// The memory of a block's argument.
struct ArgumentStorage : ValueStorage {
  Block* owner = nullptr;
  ArgumentRole role = ArgumentRole::kNone;
  Attribute name;  // A kString for feeds and states, else null.
};

}  // namespace detail

// The uses of a value, latest first: for (OpOperand& use : value.uses()). While
// the loop runs, no use of the value may be added or removed.
class UseRange {
 public:
  class Iterator {
   public:
    explicit Iterator(OpOperand* use) : use_(use) {}
    OpOperand& operator*() const { return *use_; }
    Iterator& operator++();
    friend bool operator!=(Iterator a, Iterator b) { return a.use_ != b.use_; }

   private:
    OpOperand* use_;
  };

  explicit UseRange(OpOperand* first) : first_(first) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(nullptr); }

 private:
  OpOperand* first_;
};

// A value of a program, most often a tensor: a result of an operation or an
// argument of a block. A handle of one pointer, copied freely; it lives as long
// as the operation or block that it belongs to.
class Value {
 public:
  constexpr Value() = default;  // Null: an absent optional argument.
  explicit Value(detail::ValueStorage* storage) : storage_(storage) {}

  constexpr explicit operator bool() const { return storage_ != nullptr; }

  Type type() const { return storage_->type; }
  // Returns the type of a tensor; null if the value is none.
  TensorType tensor_type() const { return type().As<TensorType>(); }
  void SetType(Type type) { storage_->type = type; }

  // Returns the name that the printer uses for it, made unique there: "hidden"
  // is printed %hidden. Empty if there is none: the value is numbered.
  std::string_view hint() const;
  Attribute hint_attribute() const { return storage_->hint; }
  // `hint` is a kString of letters, digits, "_" and "." that does not begin
  // with a digit, or null. The printer numbers values with any other text.
  void SetHint(Attribute hint) { storage_->hint = hint; }

  // Returns the operation that it is a result of; null for an argument.
  Operation* defining_op() const;
  bool is_argument() const { return storage_->is_argument; }
  // Position among the results or arguments.
  int index() const { return static_cast<int>(storage_->index); }
  // Returns the block that it is an argument of; null for a result.
  Block* argument_block() const;
  // Return the role and the name of an argument of the entry block; kNone and
  // empty for results and inner arguments.
  ArgumentRole role() const;
  std::string_view argument_name() const;
  Attribute argument_name_attribute() const;
  // Returns the block in which it is defined, as a result or argument.
  Block* parent_block() const;

  bool has_uses() const { return storage_->first_use != nullptr; }
  bool has_one_use() const;
  UseRange uses() const { return UseRange(storage_->first_use); }
  // Makes every use of this value a use of `other` (which is not null).
  void ReplaceAllUsesWith(Value other) const;

  friend bool operator==(Value a, Value b) { return a.storage_ == b.storage_; }
  friend bool operator!=(Value a, Value b) { return !(a == b); }
  template <typename H>
  friend H AbslHashValue(H state, Value value) {
    return H::combine(std::move(state), value.storage_);
  }
  // Differs between values that are not equal; for AddressHash.
  const void* address() const { return storage_; }

 private:
  friend class OpOperand;
  detail::ValueStorage* storage_ = nullptr;
};

// One operand of an operation: a use of a value, and a link in the value's use
// list. Never moves while its operation lives.
class OpOperand {
 public:
  OpOperand(const OpOperand&) = delete;
  OpOperand& operator=(const OpOperand&) = delete;

  Value value() const { return Value(value_); }
  Operation* owner() const { return owner_; }
  // Position among the owner's operands.
  int index() const;
  // Makes it a use of `value` instead; null only in an operation that is about
  // to be destroyed.
  void Set(Value value);

 private:
  friend class Operation;
  friend class UseRange::Iterator;
  explicit OpOperand(Operation* owner) : owner_(owner) {}
  void Unlink();

  detail::ValueStorage* value_ = nullptr;
  OpOperand* next_ = nullptr;
  OpOperand** link_ = nullptr;  // What points at this use.
  Operation* owner_;
};

inline UseRange::Iterator& UseRange::Iterator::operator++() {
  use_ = use_->next_;
  return *this;
}

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_VALUE_H_
