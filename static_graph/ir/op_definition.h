// SPDX-License-Identifier: Apache-2.0
// OpDefinition: what the IR and its passes know of an operation by its name.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_OP_DEFINITION_H_
#define SWITCHYARD_STATIC_GRAPH_IR_OP_DEFINITION_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "framework/base/status.h"

namespace switchyard::static_graph::ir {

class Operation;

enum class OpTrait : uint32_t {
  // No effect, and its results follow from operands and attributes alone: it
  // may be removed, moved and merged with an equal one. Of an operation with
  // regions it speaks without them (see IsPure in operation.h).
  kPure = 1u << 0,
  // Ends a block, and stands nowhere else.
  kTerminator = 1u << 1,
  // The first two operands may change places.
  kCommutative = 1u << 2,
  // Kept though its results are unused.
  kSideEffect = 1u << 3,
  // Draws random numbers: never merged with another, never folded.
  kRandom = 1u << 4,
  // A result shares the memory of an operand.
  kView = 1u << 5,
  // Element i of a result depends on the operands' elements i (broadcast).
  kElementwise = 1u << 6,
  // May write into the memory of an operand: only in the kernel dialect.
  kInplace = 1u << 7,
};

// Says whose memory a result has, as positions of operands; -1 if it has its
// own.
struct ResultAlias {
  int view_of = -1;     // It always shares this operand's.
  int inplace_of = -1;  // It may take this operand's.
};

// Says what the IR and its passes know of an operation by its name: facts and
// two functions. A dialect makes definitions (the operator dialect from OpInfo)
// and registers them with a Context by an explicit call; the IR itself knows no
// operator.
struct OpDefinition {
  std::string name;     // "op.relu": dialect, dot, name.
  uint32_t traits = 0;  // OpTrait bits.
  // Checks what the verifier cannot know: numbers and types of operands and
  // results, attributes, regions. Null: nothing more to check. Its error needs
  // not name the operation, the verifier does.
  absl::Status (*verify)(const Operation& op) = nullptr;
  // Null: no result shares memory with an operand.
  ResultAlias (*alias)(const Operation& op, int result) = nullptr;
  // The dialect's own record of the operation (the operator dialect's
  // const DialectOp*), for that dialect alone; may be null.
  const void* record = nullptr;
  // False for a stand-in that a Context made for an unknown name.
  bool registered = true;

  bool has(OpTrait trait) const {
    return (traits & static_cast<uint32_t>(trait)) != 0;
  }
};

// Returns traits such as {OpTrait::kPure, OpTrait::kView} as bits.
inline uint32_t TraitBits(std::initializer_list<OpTrait> traits) {
  uint32_t bits = 0;
  for (OpTrait trait : traits) bits |= static_cast<uint32_t>(trait);
  return bits;
}

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_OP_DEFINITION_H_
