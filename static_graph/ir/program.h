// SPDX-License-Identifier: Apache-2.0
// Program: a computation in the IR. The lowered form that runs is in
// static_graph/executor.
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

// Owns one builtin.program operation, that is, a computation in the IR. Its
// entry block's arguments are feeds and states, each with a name; its
// terminator, builtin.return, names the fetched values and the new value of
// each state. A state without a new value keeps its old one.
//
// Movable; a moved-from Program may only be destroyed or assigned to. The
// context outlives it. Many threads may read it at once, one may change it
// (context.h).
class Program {
 public:
  // Makes an empty program: no arguments, no terminator yet.
  Program(Context* context, std::string_view name);
  ~Program();
  Program(Program&& other) noexcept;
  Program& operator=(Program&& other) noexcept;

  Context* context() const { return context_; }
  Operation* op() const { return op_; }
  Block& entry() const { return op_->block(0); }
  std::string_view name() const;

  // Add arguments to the entry block. Names are unique in a program (verified).
  Value AddFeed(std::string_view name, Type type);
  Value AddState(std::string_view name, Type type);
  // Returns null if there is none of this role and name.
  Value FindArgument(ArgumentRole role, std::string_view name) const {
    return entry().FindArgument(role, name);
  }

  // Ends the entry block with a builtin.return of these values; replaces one
  // that is there.
  Operation* Return(absl::Span<const NamedValue> fetches,
                    absl::Span<const NamedValue> states);
  // Returns the entry block's builtin.return; null if there is none.
  Operation* return_op() const;
  // Return what builtin.return names, in order; empty if there is no
  // builtin.return.
  std::vector<NamedValue> fetches() const;
  std::vector<NamedValue> new_states() const;

  // Returns a copy in the same context that shares nothing mutable.
  Program Clone() const;

 private:
  Program(Context* context, Operation* op) : context_(context), op_(op) {}

  Context* context_;
  Operation* op_;  // Null once moved from.
};

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_PROGRAM_H_
