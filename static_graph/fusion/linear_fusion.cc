// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/linear_fusion.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "framework/base/hash_map.h"
#include "static_graph/fusion/fixed_values.h"
#include "static_graph/fusion/linear_patterns.h"
#include "static_graph/fusion/replacement.h"
#include "static_graph/ir/builder.h"

namespace switchyard::static_graph {
namespace {

// The only user of the result of `op`, in its block; null if there is none.
ir::Operation* SoleUser(const ir::Operation& op) {
  const ir::Value value = op.result(0);
  if (!value.has_one_use()) return nullptr;
  ir::Operation* const user = (*value.uses().begin()).owner();
  return user->parent() == op.parent() ? user : nullptr;
}

// Knows which values have the same extents, except perhaps the last one,
// whatever these are.
class RowFacts {
 public:
  // Learns of an operation; called in the order of the program.
  void Add(const ir::Operation& op) {
    if (op.num_results() == 0) return;
    const ir::Value result = op.result(0);
    if (const ir::Value x = ReadRows(op)) {
      Follow(result, x);
      return;
    }
    for (const ir::Value x : op.operands()) {
      const ir::Value y = ReadElementAddend(op, x);
      if (!y) return;
      if (HaveSameShape(x, y)) Follow(result, x);
    }
  }

  // Returns true if two tensors have the same shape in every run.
  bool HaveSameShape(ir::Value a, ir::Value b) const {
    if (a.type() != b.type()) return false;
    if (Rows(a) == Rows(b)) return true;
    const absl::Span<const Dim> dims = a.tensor_type().shape().dims();
    return std::all_of(dims.begin(), dims.end(),
                       [](Dim dim) { return dim.known() || dim.symbolic(); });
  }

  // Lets `value`, which takes the place of `x`, have its extents.
  void Follow(ir::Value value, ir::Value x) { rows_[value] = Rows(x); }

 private:
  ir::Value Rows(ir::Value x) const {
    const auto found = rows_.find(x);
    return found == rows_.end() ? x : found->second;
  }

  HashMap<ir::Value, ir::Value> rows_;
};

// Puts one operation in the place of the last of `parts`, and erases all;
// returns false if it may not.
absl::StatusOr<bool> Rewrite(ir::Builder& builder, const LinearPattern& linear,
                             const std::vector<ir::Operation*>& parts,
                             const ReplaceRule& may_replace, RowFacts* rows) {
  const ir::Value result = parts.back()->result(0);
  const Replacement replacement(may_replace, parts.back());
  builder.SetInsertionPoint(parts.back());
  absl::StatusOr<ir::Value> fused = BuildLinear(builder, linear);
  if (absl::IsNotFound(fused.status())) return false;
  if (!fused.ok()) return fused.status();
  SY_ASSIGN_OR_RETURN(const bool allowed, replacement.Allowed());
  if (!allowed) return false;
  rows->Follow(*fused, result);
  fused->SetHint(result.hint_attribute());
  result.ReplaceAllUsesWith(*fused);
  for (size_t i = parts.size(); i-- > 0;) parts[i]->Erase();
  return true;
}

// Fuses `product` with as much of what follows as fits and may be replaced;
// false if nothing may.
absl::StatusOr<bool> FuseProduct(ir::Builder& builder,
                                 const LinearPattern& linear,
                                 const ReplaceRule& may_replace,
                                 ir::Operation* product, RowFacts* rows) {
  const auto have_same_shape = [rows](ir::Value a, ir::Value b) {
    return rows->HaveSameShape(a, b);
  };
  size_t limit = std::numeric_limits<size_t>::max();
  while (limit > 0) {
    LinearPattern taken = linear;
    std::vector<ir::Operation*> parts = {product};
    while (parts.size() < limit) {
      ir::Operation* const user = SoleUser(*parts.back());
      if (user == nullptr ||
          !TakeStep(*user, parts.back()->result(0), have_same_shape, &taken)) {
        break;
      }
      parts.push_back(user);
    }
    if (!taken.has_epilogue() && !taken.is_weight) return false;
    SY_ASSIGN_OR_RETURN(const bool fused,
                        Rewrite(builder, taken, parts, may_replace, rows));
    if (fused) return true;
    limit = parts.size() - 1;
  }
  return false;
}

}  // namespace

absl::StatusOr<bool> LinearFusion::Run(ir::Program& program) {
  bool changed = false;
  ir::Builder builder(program.context());
  // From the last on: what is erased with a product comes after it.
  const std::vector<ir::Operation*> all = ir::AllOperations(program.entry());
  RowFacts rows;
  FixedValues fixed(program);
  for (const ir::Operation* op : all) {
    rows.Add(*op);
    fixed.Add(*op);
  }
  for (size_t i = all.size(); i-- > 0;) {
    std::optional<LinearPattern> linear = ReadLinear(*all[i]);
    if (!linear.has_value()) continue;
    // In an inner block each run would pack it.
    linear->is_weight =
        all[i]->parent() == &program.entry() && fixed.IsFixed(linear->matrix);
    if (linear->transposed && !linear->is_weight) continue;
    SY_ASSIGN_OR_RETURN(
        const bool fused,
        FuseProduct(builder, *linear, may_replace_, all[i], &rows));
    changed |= fused;
  }
  return changed;
}

}  // namespace switchyard::static_graph
