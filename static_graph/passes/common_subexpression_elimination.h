// SPDX-License-Identifier: Apache-2.0
// Common subexpression elimination.
#ifndef SWITCHYARD_STATIC_GRAPH_PASSES_COMMON_SUBEXPRESSION_ELIMINATION_H_
#define SWITCHYARD_STATIC_GRAPH_PASSES_COMMON_SUBEXPRESSION_ELIMINATION_H_

#include "static_graph/pass/pass.h"

namespace switchyard::static_graph {

// Keeps the first of equal pure operations in one block or around it. Equal
// means: the same operator, operands, attributes and result types; the first
// two operands of a commutative operator in either order, unless they are
// floating: maximum(0.0, -0.0) and a sum of two NaNs have bits of the first.
// Leaves alone operations that draw random numbers, control flow, and kernel
// calls that write into an operand.
class CommonSubexpressionElimination : public Pass {
 public:
  std::string_view name() const override {
    return "common_subexpression_elimination";
  }
  Exactness exactness() const override { return Exactness::kExact; }
  absl::StatusOr<bool> Run(ir::Program& program) override;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PASSES_COMMON_SUBEXPRESSION_ELIMINATION_H_
