// SPDX-License-Identifier: Apache-2.0
#include "static_graph/passes/identity_elimination.h"

#include <optional>
#include <vector>

#include "framework/base/checked_math.h"
#include "static_graph/dialect/dropout.gen.h"
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

// The axes that a transposition gives, counted from the first; nullopt where
// they are not known.
std::optional<std::vector<int>> OrderOf(const ir::Operation& op) {
  const std::optional<Ints> perm = op.attribute(kPermAttr).As<Ints>();
  if (!perm.has_value()) return std::nullopt;
  std::vector<int> order(perm->begin(), perm->end());
  const int rank = static_cast<int>(order.size());
  for (int& axis : order) {
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return std::nullopt;
  }
  return order;
}

bool MovesNoAxis(const ir::Operation& op) {
  const std::optional<std::vector<int>> order = OrderOf(op);
  if (!order.has_value()) return false;
  for (size_t i = 0; i < order->size(); ++i) {
    if ((*order)[i] != static_cast<int>(i)) return false;
  }
  return true;
}

// Whether a transposition of what another one gives leaves all axes in place.
bool Undoes(const ir::Operation& outer, const ir::Operation& inner) {
  const std::optional<std::vector<int>> a = OrderOf(outer), b = OrderOf(inner);
  if (!a.has_value() || !b.has_value() || a->size() != b->size()) return false;
  for (size_t i = 0; i < a->size(); ++i) {
    if ((*b)[(*a)[i]] != static_cast<int>(i)) return false;
  }
  return true;
}

// Whether `op` only moves the elements of its operand.
bool IsMovement(const ir::Operation& op) {
  return op.has<IdentityTrait>() && op.num_operands() == 1 &&
         op.num_results() == 1 && !op.attribute(kOpDeviceAttr) &&
         (op.has<PermutesTrait>() || op.has<SameSizeTrait>()) &&
         op.result(0).tensor_type() && op.operand(0).tensor_type() &&
         op.result(0).tensor_type().dtype() ==
             op.operand(0).tensor_type().dtype();
}

// Returns the product of the known extents; 0 where it is none or too large.
int64_t KnownElements(const Shape& shape) {
  int64_t product = 1;
  for (Dim dim : shape.dims()) {
    if (!dim.known()) continue;
    product = CheckedMultiply(product, dim.value()).value_or(0);
  }
  return product;
}

// Returns whether a tensor of the shape `x` always has one of the shape
// `between`: a reshape that may fail must stay.
bool AlwaysFits(const Shape& x, const Shape& between) {
  const int64_t all = KnownElements(x), some = KnownElements(between);
  return all > 0 && some > 0 && all % some == 0;
}

// The value that `op` gives back: the operand of the operation that made its
// own operand; null for anything else.
ir::Value GivesBack(const ir::Operation& op) {
  if (!IsMovement(op)) return ir::Value();
  const ir::Operation* const inner = op.operand(0).defining_op();
  if (inner == nullptr || !IsMovement(*inner) ||
      inner->operand(0).type() != op.result(0).type() ||
      op.has<PermutesTrait>() != inner->has<PermutesTrait>()) {
    return ir::Value();
  }
  const Shape& shape = op.result(0).tensor_type().shape();
  const bool same =
      op.has<PermutesTrait>()
          ? Undoes(op, *inner)
          : IsDetermined(shape, true) &&
                AlwaysFits(shape, op.operand(0).tensor_type().shape());
  return same ? inner->operand(0) : ir::Value();
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

// Whether `op` is a dropout in the test phase that gives its operand as it is.
bool IsInactiveDropout(const ir::Operation& op) {
  const auto dropout = DropoutOp::Match(op);
  return dropout.has_value() && dropout->is_test() &&
         dropout->mode() == "upscale_in_train";
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
    ir::Value same = GivesBack(*op);
    if (IsIdentity(*op) || GivesOperand(*op)) same = op->operand(0);
    if (!same) continue;
    op->result(0).ReplaceAllUsesWith(same);
    op->Erase();
    changed = true;
  }
  return changed;
}

}  // namespace switchyard::static_graph
