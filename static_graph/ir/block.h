// SPDX-License-Identifier: Apache-2.0
// Block and Region: lists of operations, and the bodies of operations that hold
// them.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_BLOCK_H_
#define SWITCHYARD_STATIC_GRAPH_IR_BLOCK_H_

#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "static_graph/ir/operation.h"
#include "static_graph/ir/value.h"

namespace switchyard::static_graph::ir {

// A list of operations that run in order, with arguments; the last one is its
// terminator. Owns its operations and arguments, belongs to the operation
// around it, and never moves.
class Block {
 public:
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  // Returns the operation that the block is inside of.
  Operation* parent_op() const { return parent_op_; }

  // ---- Arguments ----
  int num_arguments() const { return static_cast<int>(arguments_.size()); }
  Value argument(int i) const { return Value(arguments_[i].get()); }
  std::vector<Value> arguments() const;
  Value AddArgument(Type type);
  // Adds an argument to a program's entry block; `name` is a kString. The
  // verifier checks names; Program::AddFeed and AddState are more convenient.
  Value AddArgument(Type type, ArgumentRole role, Attribute name);
  // Returns the first argument of this role and name, found by hashing; null if
  // there is none.
  Value FindArgument(ArgumentRole role, std::string_view name) const;
  // Erases the arguments without uses; the others keep their order.
  void EraseUnusedArguments();

  // ---- Operations ----
  bool empty() const { return first_ == nullptr; }
  int size() const { return size_; }
  Operation* front() const { return first_; }
  Operation* back() const { return last_; }
  // Returns the last operation if it is a terminator; null otherwise.
  Operation* terminator() const;
  // Takes ownership of a detached operation and puts it before `before`; null
  // is the end.
  void Insert(Operation* op, Operation* before);
  void push_back(Operation* op) { Insert(op, nullptr); }
  // Moves all arguments and operations of `from` to the end of this block's.
  void TakeBody(Block& from);

  // for (Operation* op : block): the current one may be erased or moved, and
  // others inserted, meanwhile; its successor may not be erased.
  class Iterator {
   public:
    explicit Iterator(Operation* op)
        : op_(op), next_(op == nullptr ? nullptr : op->next()) {}
    Operation* operator*() const { return op_; }
    Iterator& operator++() {
      *this = Iterator(next_);
      return *this;
    }
    friend bool operator!=(Iterator a, Iterator b) { return a.op_ != b.op_; }

   private:
    Operation* op_;
    Operation* next_;
  };
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(nullptr); }

 private:
  friend class Operation;
  friend class Region;
  explicit Block(Operation* parent_op) : parent_op_(parent_op) {}
  ~Block() = default;  // Its operations are gone: Operation::Destroy.
  void Unlink(Operation* op);

  Operation* parent_op_;
  Operation* first_ = nullptr;
  Operation* last_ = nullptr;
  int size_ = 0;
  std::vector<std::unique_ptr<detail::ArgumentStorage>> arguments_;
  // Those with a name, under it. Only the verifier sees to it that names
  // differ.
  std::unordered_multimap<std::string_view, detail::ArgumentStorage*> by_name_;
};

// A body of an operation. It has exactly one block: the IR has no branches,
// control flow is operations with regions. Belongs to its operation and never
// moves.
class Region {
 public:
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  Block& block() { return block_; }
  Operation* parent_op() const { return block_.parent_op(); }

 private:
  friend class Operation;
  explicit Region(Operation* parent_op) : block_(parent_op) {}
  ~Region() = default;
  Block block_;
};

// Returns the operations of the block and of the blocks inside, in the order of
// the text. The list is a copy, so that operations may be erased and others
// inserted meanwhile; to erase one with regions erases those inside it too.
std::vector<Operation*> AllOperations(const Block& block);

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_BLOCK_H_
