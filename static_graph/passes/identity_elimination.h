// SPDX-License-Identifier: Apache-2.0
// Identity elimination.
#ifndef SWITCHYARD_STATIC_GRAPH_PASSES_IDENTITY_ELIMINATION_H_
#define SWITCHYARD_STATIC_GRAPH_PASSES_IDENTITY_ELIMINATION_H_

#include "static_graph/pass/pass.h"

namespace switchyard::static_graph {

// Replaces the result of an operation that changes nothing by its operand: a
// cast to the same dtype, a reshape to the same shape, a transposition that
// moves no axis, and two reshapes or transpositions in a row where the second
// one undoes the first. The trait IdentityTrait
// (static_graph/dialect/op_traits.h) marks these operators. A scale
// by one is not among them: it turns -0.0 into 0.0 (see scale_fusion.h).
class IdentityElimination : public Pass {
 public:
  std::string_view name() const override { return "identity_elimination"; }
  Exactness exactness() const override { return Exactness::kExact; }
  absl::StatusOr<bool> Run(ir::Program& program) override;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_PASSES_IDENTITY_ELIMINATION_H_
