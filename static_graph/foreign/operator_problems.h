// SPDX-License-Identifier: Apache-2.0
// OperatorProblems: all that is to be said against the operators of a program,
// in one error; and the name that an unknown one may have been meant for.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_OPERATOR_PROBLEMS_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_OPERATOR_PROBLEMS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"

namespace switchyard::static_graph {

// Collects the problems of operators. One is reported as "<place>: <sentence>",
// several as their number and a line each; at most 200 are listed, of the
// others their number.
class OperatorProblems {
 public:
  // Adds an operator's problem; an OK status is none.
  void Add(const absl::Status& status, std::string_view place);
  // Returns false if another one would be counted and not listed.
  bool listed() const;
  // Returns OK without problems. Unimplemented if one is, else the code of the
  // first.
  absl::Status Summary() const;

 private:
  std::vector<absl::Status> problems_;
  size_t count_ = 0;
  bool unimplemented_ = false;
};

// Returns the one of `names` that `name` may have been meant for: the one that
// the fewest insertions, removals, replacements and swaps of letters lead to,
// if they are at most a third of its letters; otherwise "".
std::string NearestName(std::string_view name,
                        absl::Span<const std::string_view> names);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_OPERATOR_PROBLEMS_H_
