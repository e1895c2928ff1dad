// SPDX-License-Identifier: Apache-2.0
// The traits and interfaces that the dialects `op` and `kernel` add to those of
// the IR (static_graph/ir/op_definition.h). Passes ask for them; they name no
// operator. An operator's entry says which it has (`traits:` in YAML).
#ifndef SWITCHYARD_STATIC_GRAPH_DIALECT_OP_TRAITS_H_
#define SWITCHYARD_STATIC_GRAPH_DIALECT_OP_TRAITS_H_

#include "framework/base/status.h"

namespace switchyard::static_graph {

namespace ir {
class Operation;  // static_graph/ir/operation.h
}

// Returns its one operand as it is, bits and all, where the result has the
// operand's type and extents: a cast to the same dtype, a reshape to the same
// shape. reduce_as, which may add to 0.0, does not.
struct IdentityTrait {};
// The result has as many elements as the first operand.
struct SameSizeTrait {};
// Moves the axes of its operand as its int[] attribute kPermAttr says.
struct PermutesTrait {};
inline constexpr char kPermAttr[] = "perm";
// Each element of the result is the Scalar attribute kFilledAttr, converted to
// the result's dtype.
struct FilledTrait {};
inline constexpr char kFilledAttr[] = "value";
// A call of an operator that has been lowered: of the dialect `kernel`.
struct KernelCallTrait {};

// Lowers calls of operators; static_graph/lowering has one.
class Lowering {
 public:
  virtual ~Lowering() = default;
  // Replaces op.<name> by kernel.<name>, as selection decides; `op` is erased.
  virtual absl::Status LowerCall(ir::Operation* op) = 0;
};

// Lowers an operation: replaces it by others, which are lowered already, or by
// its operands, and erases it. The operations that make its operands precede it
// and are lowered; its users are not. The operators' own calls
// Lowering::LowerCall. An operation without the interface stays as it is.
struct LoweringInterface {
  absl::Status (*lower)(ir::Operation* op, Lowering* lowering);
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_DIALECT_OP_TRAITS_H_
