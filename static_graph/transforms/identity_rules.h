// SPDX-License-Identifier: Apache-2.0
// IdentityRule: when an operator returns its input as it is, as data: what
// identity elimination (identity_elimination.h) knows of operators.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSFORMS_IDENTITY_RULES_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSFORMS_IDENTITY_RULES_H_

#include "absl/types/span.h"

namespace switchyard::static_graph {

// An operation with one operand and one result of one type, with extents that
// are equal at run time as well, is its operand if the rest of the rule holds.
// The operator must then return the same bits: reduce_as, which may add to 0.0,
// does not.
struct IdentityRule {
  const char* op;
  // The operator keeps the number of elements, so that one unknown extent must
  // be equal too.
  bool keeps_elements = false;
  // An int[] attribute that must be 0, 1, 2, ...; null: none.
  const char* permutation = nullptr;
};

absl::Span<const IdentityRule> IdentityRules();

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSFORMS_IDENTITY_RULES_H_
