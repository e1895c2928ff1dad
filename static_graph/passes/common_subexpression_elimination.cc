// SPDX-License-Identifier: Apache-2.0
#include "static_graph/passes/common_subexpression_elimination.h"

#include <utility>
#include <vector>

#include "framework/base/hash_map.h"
#include "static_graph/dialect/kernel_attributes.h"

namespace switchyard::static_graph {
namespace {

// The parts in which equal operations agree.
struct Expression {
  const ir::OpDefinition* definition;
  std::vector<ir::Value> operands;
  std::vector<ir::NamedAttribute> attributes;
  std::vector<ir::Type> types;

  explicit Expression(const ir::Operation& op)
      : definition(&op.definition()),
        operands(op.operands()),
        attributes(op.attributes().begin(), op.attributes().end()) {
    for (ir::Value result : op.results()) types.push_back(result.type());
  }
  friend bool operator==(const Expression& a, const Expression& b) {
    return a.definition == b.definition && a.operands == b.operands &&
           a.attributes == b.attributes && a.types == b.types;
  }
  template <typename H>
  friend H AbslHashValue(H state, const Expression& e) {
    return H::combine(std::move(state), e.definition, e.operands, e.attributes,
                      e.types);
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
    std::vector<Expression> here;
    for (ir::Operation* op : block) {
      for (int i = 0; i < op->num_regions(); ++i) Run(op->block(i));
      if (!IsCandidate(*op)) continue;
      Expression expression(*op);
      if (ir::Operation* first = Find(*op, expression); first != nullptr) {
        Replace(op, first);
        continue;
      }
      first_.emplace(expression, op);
      here.push_back(std::move(expression));
    }
    // The values that a block computes are not available around it.
    for (const Expression& expression : here) first_.erase(expression);
  }

  bool changed() const { return changed_; }

 private:
  // An earlier operation that is equal; null if there is none.
  ir::Operation* Find(const ir::Operation& op, Expression expression) const {
    const auto same = first_.find(expression);
    if (same != first_.end()) return same->second;
    if (!op.has<ir::CommutativeTrait>() || op.num_operands() < 2 ||
        IsDifferentiable(op.operand(0).tensor_type().dtype())) {
      return nullptr;
    }
    std::swap(expression.operands[0], expression.operands[1]);
    const auto swapped = first_.find(expression);
    return swapped == first_.end() ? nullptr : swapped->second;
  }

  void Replace(ir::Operation* op, ir::Operation* first) {
    for (int i = 0; i < op->num_results(); ++i) {
      op->result(i).ReplaceAllUsesWith(first->result(i));
    }
    op->Erase();
    changed_ = true;
  }

  HashMap<Expression, ir::Operation*> first_;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> CommonSubexpressionElimination::Run(ir::Program& program) {
  Eliminator eliminator;
  eliminator.Run(program.entry());
  return eliminator.changed();
}

}  // namespace switchyard::static_graph
