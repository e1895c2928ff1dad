// SPDX-License-Identifier: Apache-2.0
// OpDefinition: what the IR and its passes know of an operation by its name.
// Traits and interfaces, and those that the IR itself knows.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_OP_DEFINITION_H_
#define SWITCHYARD_STATIC_GRAPH_IR_OP_DEFINITION_H_

#include <string>
#include <utility>
#include <vector>

#include "framework/base/status.h"
#include "static_graph/ir/type_id.h"

namespace switchyard::static_graph::ir {

class Context;
class Operation;
class Type;
struct OperationState;

// ---- Traits: facts without a value, each an empty class. A dialect or a pass
// of another workspace declares its own. ----

// No effect, and its results follow from operands and attributes alone: it may
// be removed, moved and merged with an equal one. Of an operation with regions
// it speaks without them (see IsPure in operation.h).
struct PureTrait {};
// Ends a block, and stands nowhere else.
struct TerminatorTrait {};
// The first two operands may change places.
struct CommutativeTrait {};
// Draws random numbers: never merged with another, never folded.
struct RandomTrait {};
// A result shares the memory of an operand.
struct ViewTrait {};
// Element i of a result depends on the operands' elements i (broadcast).
struct ElementwiseTrait {};
// May write into the memory of an operand: only in the kernel dialect.
struct InplaceTrait {};
// Writes over operands, as its AliasInterface says (`inplace_of`): what uses
// such an operand afterwards, or a view of it, reads what was written. Only in
// a program as it was traced or imported. The pass to_value_form removes it,
// and CheckValueForm (value_form.h) verifies that none is left.
struct InplaceVariantTrait {};
// Has one result, the tensor of its attribute `value`: builtin.constant.
struct ConstantTrait {};

// ---- Interfaces: structs of functions, of which an operation's dialect gives
// a constant. Code that uses one works on every operation that has it. ----

// Says whose memory a result has, as positions of operands; -1 if it has its
// own.
struct ResultAlias {
  int view_of = -1;     // It always shares this operand's.
  int inplace_of = -1;  // It may take this operand's.
};
// Tells whose memory a result has, for operations whose results may share an
// operand's.
struct AliasInterface {
  ResultAlias (*alias)(const Operation& op, int result);
};

// Computes the types of the results from operands and attributes; `results` of
// the state is not read. Errors need not name the operation. For
// Builder::CreateInferred and the pass infer_types.
struct InferTypesInterface {
  absl::StatusOr<std::vector<Type>> (*infer)(Context* context,
                                             const OperationState& state);
};

// Says what the IR and its passes know of an operation by its name: traits,
// interfaces and a function that verifies it. A dialect makes definitions and
// registers them with a Context (dialect.h); the IR itself knows no operator.
class OpDefinition {
 public:
  std::string name;  // "op.relu": dialect, dot, name.
  // Checks what the verifier cannot know: numbers and types of operands and
  // results, attributes, regions. Null: nothing more to check. Its error needs
  // not name the operation, the verifier does.
  absl::Status (*verify)(const Operation& op) = nullptr;
  // False for a stand-in that a Context made for an unknown name.
  bool registered = true;

  // Adds a trait: definition.Add<PureTrait>().
  template <typename T>
  OpDefinition& Add() {
    Insert(TypeIdOf<T>(), nullptr);
    return *this;
  }
  // Adds an interface; `interface` outlives the Context. Replaces one of the
  // same type.
  template <typename I>
  OpDefinition& Add(const I* interface) {
    Insert(TypeIdOf<I>(), interface);
    return *this;
  }

  // Returns true for a trait or an interface that it has.
  template <typename T>
  bool has() const {
    return Find(TypeIdOf<T>()) != nullptr;
  }
  // Returns null if it lacks the interface.
  template <typename I>
  const I* interface() const {
    const Entry* entry = Find(TypeIdOf<I>());
    return entry == nullptr ? nullptr : static_cast<const I*>(entry->second);
  }

 private:
  // An id, and the interface; null for a trait.
  using Entry = std::pair<TypeId, const void*>;

  void Insert(TypeId id, const void* interface);
  // Some ten entries lie side by side: no search is faster than to look.
  const Entry* Find(TypeId id) const {
    for (const Entry& entry : entries_) {
      if (entry.first == id) return &entry;
    }
    return nullptr;
  }

  std::vector<Entry> entries_;
};

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_OP_DEFINITION_H_
