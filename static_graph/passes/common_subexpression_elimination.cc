// SPDX-License-Identifier: Apache-2.0
#include "static_graph/passes/common_subexpression_elimination.h"

#include <algorithm>
#include <functional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "framework/base/hash_map.h"
#include "static_graph/dialect/kernel_attributes.h"

namespace switchyard::static_graph {
namespace {

// Whether the first two operands may change places: sums of floating numbers
// keep the order, which decides whose NaN is the result.
bool Commutes(const ir::Operation& op) {
  return op.has<ir::CommutativeTrait>() && op.num_operands() > 1 &&
         !IsDifferentiable(op.operand(0).tensor_type().dtype());
}

// Operations hashed and compared by what they compute. They stand for
// themselves in a table, so that looking one up copies nothing.
struct ExpressionHash {
  size_t operator()(const ir::Operation* op) const {
    return absl::HashOf(Parts{op});
  }

 private:
  struct Parts {
    const ir::Operation* op;

    template <typename H>
    friend H AbslHashValue(H state, const Parts& parts) {
      const ir::Operation& op = *parts.op;
      state = H::combine(std::move(state), &op.definition(), op.num_operands());
      int from = 0;
      if (Commutes(op)) {
        const void* const a = op.operand(0).address();
        const void* const b = op.operand(1).address();
        const auto [less, more] = std::minmax(a, b, std::less<>());
        state = H::combine(std::move(state), less, more);
        from = 2;
      }
      for (int i = from; i < op.num_operands(); ++i) {
        state = H::combine(std::move(state), op.operand(i));
      }
      for (const ir::NamedAttribute& attribute : op.attributes()) {
        state = H::combine(std::move(state), attribute);
      }
      for (int i = 0; i < op.num_results(); ++i) {
        state = H::combine(std::move(state), op.result(i).type());
      }
      return state;
    }
  };
};

struct ExpressionEqual {
  bool operator()(const ir::Operation* a, const ir::Operation* b) const {
    return &a->definition() == &b->definition() && EqualOperands(*a, *b) &&
           a->attributes() == b->attributes() && EqualTypes(*a, *b);
  }

 private:
  static bool EqualOperands(const ir::Operation& a, const ir::Operation& b) {
    if (a.num_operands() != b.num_operands()) return false;
    int from = 0;
    if (Commutes(a) && a.operand(0) == b.operand(1) &&
        a.operand(1) == b.operand(0)) {
      from = 2;
    }
    for (int i = from; i < a.num_operands(); ++i) {
      if (a.operand(i) != b.operand(i)) return false;
    }
    return true;
  }
  static bool EqualTypes(const ir::Operation& a, const ir::Operation& b) {
    if (a.num_results() != b.num_results()) return false;
    for (int i = 0; i < a.num_results(); ++i) {
      if (a.result(i).type() != b.result(i).type()) return false;
    }
    return true;
  }
};

bool IsCandidate(const ir::Operation& op) {
  return op.has<ir::PureTrait>() && !op.has<ir::RandomTrait>() &&
         op.num_regions() == 0 && op.num_results() > 0 &&
         !op.attribute(kInplaceAttr);
}

class Eliminator {
 public:
  // Recursion is as deep as regions are nested, which the verifier limits.
  void Run(ir::Block& block) {
    std::vector<ir::Operation*> here;
    for (ir::Operation* op : block) {
      for (int i = 0; i < op->num_regions(); ++i) Run(op->block(i));
      if (!IsCandidate(*op)) continue;
      const auto [first, inserted] = first_.insert(op);
      if (inserted) {
        here.push_back(op);
      } else {
        Replace(op, *first);
      }
    }
    // The values that a block computes are not available around it.
    if (block.parent_op() == nullptr) return;
    for (ir::Operation* op : here) first_.erase(op);
  }

  bool changed() const { return changed_; }

 private:
  void Replace(ir::Operation* op, ir::Operation* first) {
    for (int i = 0; i < op->num_results(); ++i) {
      op->result(i).ReplaceAllUsesWith(first->result(i));
    }
    op->Erase();
    changed_ = true;
  }

  // The first of equal operations, of this block and those around it.
  Pooled<
      std::pmr::unordered_set<ir::Operation*, ExpressionHash, ExpressionEqual>>
      first_;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> CommonSubexpressionElimination::Run(ir::Program& program) {
  Eliminator eliminator;
  eliminator.Run(program.entry());
  return eliminator.changed();
}

}  // namespace switchyard::static_graph
