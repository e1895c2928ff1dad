// SPDX-License-Identifier: Apache-2.0
// Program: owner of one builtin.program operation, that is, of a computation
// in the IR. Its entry block's arguments are feeds and states, each with a
// name; its terminator, builtin.return, names what is fetched and which value
// each state has afterwards. A state without a new value keeps its old one.
// Not here: the lowered form that runs (static_graph/executor).
#ifndef SWITCHYARD_STATIC_GRAPH_IR_PROGRAM_H_
#define SWITCHYARD_STATIC_GRAPH_IR_PROGRAM_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "static_graph/ir/block.h"
#include "static_graph/ir/context.h"

namespace switchyard::static_graph::ir {

// A value that leaves a program, under its name.
struct NamedValue {
  std::string name;
  Value value;
};

// Movable; a moved-from Program may only be destroyed or assigned to. The
// context outlives it.
class Program {
 public:
  // An empty program: no arguments, no terminator yet.
  Program(Context* context, std::string_view name);
  ~Program();
  Program(Program&& other) noexcept;
  Program& operator=(Program&& other) noexcept;

  Context* context() const { return context_; }
  Operation* op() const { return op_; }
  Block& entry() const { return op_->block(0); }
  std::string_view name() const;

  // Arguments of the entry block. Names are unique in a program (verified).
  Value AddFeed(std::string_view name, TensorType type);
  Value AddState(std::string_view name, TensorType type);
  // Null if there is none of this role and name.
  Value FindArgument(ArgumentRole role, std::string_view name) const {
    return entry().FindArgument(role, name);
  }

  // Ends the entry block with a builtin.return of these; replaces one that is
  // there.
  Operation* Return(absl::Span<const NamedValue> fetches,
                    absl::Span<const NamedValue> states);
  // The entry block's builtin.return; null if there is none.
  Operation* return_op() const;
  // What it returns, in order; empty without one.
  std::vector<NamedValue> fetches() const;
  std::vector<NamedValue> new_states() const;

  // A copy in the same context that shares nothing mutable.
  Program Clone() const;

 private:
  Program(Context* context, Operation* op) : context_(context), op_(op) {}

  Context* context_;
  Operation* op_;  // Null once moved from.
};

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_PROGRAM_H_
