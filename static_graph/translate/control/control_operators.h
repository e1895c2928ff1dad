// SPDX-License-Identifier: Apache-2.0
// ReadControlOperator: an operator of an old program that runs blocks or
// chooses between values. It becomes structured control flow, so there is no
// operator of ours with a legacy form for it.
#ifndef SWITCHYARD_STATIC_GRAPH_TRANSLATE_CONTROL_CONTROL_OPERATORS_H_
#define SWITCHYARD_STATIC_GRAPH_TRANSLATE_CONTROL_CONTROL_OPERATORS_H_

#include <string>
#include <string_view>
#include <vector>

#include "framework/base/status.h"
#include "static_graph/foreign/foreign_operator.h"

namespace switchyard::static_graph {

// The ways in which an operator decides which others run.
enum class ControlKind {
  kNone,         // Any other operator.
  kWhile,        // while: runs its block as long as the condition holds.
  kConditional,  // conditional_block: runs its block if the condition holds.
  kIf,           // if, of JSON: runs one of two blocks.
  kSelect,       // select_input: the value with the number that the mask tells.
  kRecurrent,    // recurrent: runs its block for each step of its inputs.
};

ControlKind ControlKindOf(std::string_view type);

// An operator of control flow. The variables that its block reads and writes
// are taken from the block: the operator's own lists may be incomplete.
struct ControlOperator {
  ControlKind kind = ControlKind::kNone;
  int block = -1;                   // -1: none (select_input).
  int else_block = -1;              // Of if.
  std::string condition;            // Or the mask.
  std::vector<std::string> values;  // Of select_input.
  std::string result;               // Of select_input.
  // Whether the block has inputs and yields, as in JSON: then `values` of a
  // while, the condition first, are those of the first iteration, and `results`
  // those that the block yields.
  bool yields = false;
  // The rest belongs to recurrent: inputs, which have a variable of the same
  // name for a step in the block, and results likewise; the states at first,
  // before and after a step; and whether the last step runs first.
  std::vector<std::string> steps;
  std::vector<std::string> results;
  std::vector<std::string> initial_states;
  std::vector<std::string> ex_states;
  std::vector<std::string> states;
  bool reverse = false;
};

// Reads an operator of a kind other than kNone. ArgumentError for slots and
// attributes that it does not have (empty and neutral ones apart), a slot with
// another number of variables than it takes, a block that is not named, states
// that do not come in pairs, and a conditional_block that tests how many
// elements its tensors have. Whether there is such a block is not checked
// (static_graph/translate/control/sub_blocks.h).
absl::StatusOr<ControlOperator> ReadControlOperator(const ForeignOperator& op);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_TRANSLATE_CONTROL_CONTROL_OPERATORS_H_
