// SPDX-License-Identifier: Apache-2.0
// FindBranchPair: the operators that the old framework writes for an if with an
// else, found again.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_BRANCH_PAIR_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_BRANCH_PAIR_H_

#include <optional>
#include <string>
#include <vector>

#include "static_graph/foreign/foreign_program.h"
#include "static_graph/translate/control/sub_blocks.h"

namespace switchyard::static_graph {

// Two branches that exclude each other, and choices between their results:
//
//   conditional_block(c); n = logical_not(c); conditional_block(n);
//   m = cast(c); r = select_input(m, [b, a]); ...
//
// Translated one by one, a branch that does not run would need values for its
// variables (static_graph/translate/translate_block.h), in most cases without
// elements, which makes the extents of all later values unknown.
struct BranchPair {
  struct Choice {
    std::string result;
    std::string then_variable;  // Written by the first block for this alone.
    std::string else_variable;  // Likewise by the second.
  };
  std::string condition;
  int then_block = -1;
  int else_block = -1;
  std::vector<Choice> choices;
  // All these operators, which stand one after the other.
  std::vector<ForeignOperator> ops;
};

// Returns the pair that begins at operator `index` of `block`; nothing if there
// is none, or if its variables are used for something else too.
std::optional<BranchPair> FindBranchPair(const ForeignBlock& block, int index,
                                         const SharedVariables& shared);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_BRANCH_PAIR_H_
