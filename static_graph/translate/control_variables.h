// SPDX-License-Identifier: Apache-2.0
// The variables of control flow: those that a loop carries, and those that
// branches leave.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_CONTROL_VARIABLES_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_CONTROL_VARIABLES_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "framework/base/status.h"
#include "static_graph/foreign/foreign_program.h"
#include "static_graph/translate/branch_pair.h"
#include "static_graph/translate/control/control_operators.h"
#include "static_graph/translate/translation.h"
#include "static_graph/translate/variable_scope.h"

namespace switchyard::static_graph {

// The variables that hold each value of a loop: before the loop, at the begin
// and at the end of an iteration, and after the loop. "" where no variable
// does.
struct LoopVariables {
  std::vector<std::string> before;
  std::vector<std::string> inside;
  std::vector<std::string> next;
  std::vector<std::string> after;
  int condition = 0;  // Among them.
};

// Returns the variables of a while, `op`. ArgumentError for one that would
// never end, or whose operands have no values.
absl::StatusOr<LoopVariables> VariablesOfLoop(const ForeignOperator& op,
                                              const ControlOperator& loop,
                                              const VariableScope& scope,
                                              const Translation& translation);

// Returns those of `writes`, the variables that these operators' blocks write,
// that something reads when they are over.
std::vector<std::string> LastingWrites(absl::Span<const ForeignOperator> ops,
                                       absl::Span<const std::string> writes,
                                       const VariableScope& scope,
                                       const Translation& translation);

// Returns the branches of an `if`, whose blocks end with a yield, and a choice
// for each of its results.
BranchPair YieldingBranches(const ControlOperator& branch,
                            const ForeignProgram& program);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_CONTROL_VARIABLES_H_
