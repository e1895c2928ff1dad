// SPDX-License-Identifier: Apache-2.0
// Builder: creates operations at an insertion point in a block. Builders of
// operators, which infer types and promote dtypes, stand on it
// (static_graph/dialect).
#ifndef SWITCHYARD_STATIC_GRAPH_IR_BUILDER_H_
#define SWITCHYARD_STATIC_GRAPH_IR_BUILDER_H_

#include <string_view>

#include "static_graph/ir/block.h"
#include "static_graph/ir/context.h"
#include "static_graph/ir/operation.h"

namespace switchyard::static_graph::ir {

// Creates operations at an insertion point in a block. It checks nothing: the
// verifier does (verifier.h). Borrows context and block; the operations belong
// to the block. Used by one thread.
class Builder {
 public:
  // Has no insertion point until one is set.
  explicit Builder(Context* context) : context_(context) {}
  // Inserts at the end of `block`.
  Builder(Context* context, Block* block) : context_(context), block_(block) {}

  Context* context() const { return context_; }
  Block* block() const { return block_; }

  // Go on before (after) an operation, and take its location.
  void SetInsertionPoint(Operation* before);
  void SetInsertionPointAfter(Operation* op);

  // The location of the operations that come, unless their state has one.
  Location location() const { return location_; }
  void SetLocation(Location location) { location_ = location; }

  // Returns the operation before the insertion point; null at a block's
  // beginning.
  Operation* previous() const;

  // Creates the operation and inserts it; the next one comes after it.
  Operation* Create(const OperationState& state);
  // Creates the operation with the results that its InferTypesInterface tells.
  // FailedPreconditionError if it has none; errors carry the operation's name.
  absl::StatusOr<Operation*> CreateInferred(OperationState state);

  // Return {name, value} for OperationState::attributes.
  NamedAttribute Named(std::string_view name, Attribute value);
  NamedAttribute Named(std::string_view name, AttrRef value);

  // Adds a builtin.constant and returns its value, which has the constant's
  // type.
  Value Constant(Attribute constant);

 private:
  Context* context_;
  Block* block_ = nullptr;
  Operation* before_ = nullptr;  // Null: at the end.
  Location location_;
};

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_BUILDER_H_
