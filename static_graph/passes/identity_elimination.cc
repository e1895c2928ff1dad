// SPDX-License-Identifier: Apache-2.0
#include "static_graph/passes/identity_elimination.h"

#include <optional>

#include "static_graph/dialect/activation_patterns.h"
#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/op_traits.h"

namespace switchyard::static_graph {
namespace {

using Ints = absl::Span<const int>;

// Two tensors of this shape have the same extents at run time.
bool IsDetermined(const Shape& shape, bool same_elements) {
  int unknown = 0;
  bool empty = false;
  for (Dim dim : shape.dims()) {
    if (!dim.known() && !dim.symbolic()) ++unknown;
    empty |= dim == Dim(0);
  }
  // Equal products tell one extent, unless they are 0.
  return unknown == 0 ||
         (unknown == 1 && same_elements && !empty && shape.rank() > 0);
}

bool MovesNoAxis(const ir::Operation& op) {
  const std::optional<Ints> perm = op.attribute(kPermAttr).As<Ints>();
  if (!perm.has_value()) return false;
  const int rank = static_cast<int>(perm->size());
  for (int i = 0; i < rank; ++i) {
    const int axis = (*perm)[i] < 0 ? (*perm)[i] + rank : (*perm)[i];
    if (axis != i) return false;
  }
  return true;
}

bool IsIdentity(const ir::Operation& op) {
  if (!op.has<IdentityTrait>() || op.num_operands() != 1 ||
      op.num_results() != 1 || op.attribute(kOpDeviceAttr)) {
    return false;
  }
  const ir::TensorType type = op.result(0).tensor_type();
  if (!type || type != op.operand(0).type() ||
      !IsDetermined(type.shape(), op.has<SameSizeTrait>())) {
    return false;
  }
  return !op.has<PermutesTrait>() || MovesNoAxis(op);
}

// Whether a run of `op` gives its first operand as its first result, and its
// other results are not used.
bool GivesOperand(const ir::Operation& op) {
  if (!IsInactiveDropout(op) || op.result(0).type() != op.operand(0).type()) {
    return false;
  }
  for (int i = 1; i < op.num_results(); ++i) {
    if (op.result(i).has_uses()) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<bool> IdentityElimination::Run(ir::Program& program) {
  bool changed = false;
  for (ir::Operation* op : ir::AllOperations(program.entry())) {
    if (!IsIdentity(*op) && !GivesOperand(*op)) continue;
    op->result(0).ReplaceAllUsesWith(op->operand(0));
    op->Erase();
    changed = true;
  }
  return changed;
}

}  // namespace switchyard::static_graph
