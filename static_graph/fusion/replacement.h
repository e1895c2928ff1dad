// SPDX-License-Identifier: Apache-2.0
// Replacement: the operations that a fusion has built and the ones to replace,
// for the ReplaceRule of its environment (static_graph/pass/pass_info.h).
#ifndef SWITCHYARD_STATIC_GRAPH_FUSION_REPLACEMENT_H_
#define SWITCHYARD_STATIC_GRAPH_FUSION_REPLACEMENT_H_

#include <vector>

#include "absl/types/span.h"
#include "static_graph/ir/operation.h"
#include "static_graph/pass/pass_info.h"

namespace switchyard::static_graph {

// One replacement: made before anything is built in front of the operation
// whose result is replaced.
//
//   Replacement replacement(may_replace_, op);
//   builder.SetInsertionPoint(op);
//   ... builds, from values that the program has already
//   SY_ASSIGN_OR_RETURN(const bool replaced, replacement.Put(made));
class Replacement {
 public:
  // Borrows both.
  Replacement(const ReplaceRule& rule, ir::Operation* replaced)
      : rule_(rule), replaced_(*replaced), before_(replaced->previous()) {}

  // Returns whether the operations built since then may replace `replaced` and
  // the operations that compute its operands from the inputs of the new ones,
  // or from `also`. If they may not, they are erased.
  absl::StatusOr<bool> Allowed(absl::Span<const ir::Value> also = {}) const;

  // Puts `made` in the place of the result of `replaced`, which is erased. If
  // it may not, or if `made` is NotFound (the context lacks an operator),
  // removes the new operations and returns false. Other errors are passed on.
  absl::StatusOr<bool> Put(absl::StatusOr<ir::Value> made) const;

  // Erases the operations that were built since.
  void Discard() const;

 private:
  // The operations that were built since, in their order.
  std::vector<ir::Operation*> Made() const;

  const ReplaceRule& rule_;
  ir::Operation& replaced_;
  ir::Operation* const before_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FUSION_REPLACEMENT_H_
