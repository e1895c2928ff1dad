// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/clone.h"

#include <utility>
#include <vector>

namespace switchyard::static_graph::ir {
namespace {

Value Mapped(const ValueMap& map, Value value) {
  const auto found = map.find(value);
  return found == map.end() ? value : found->second;
}

// The operation itself, its regions empty.
OperationPtr CloneShallow(const Operation& op, ValueMap& map) {
  OperationState state;
  state.definition = &op.definition();
  state.regions = op.num_regions();
  state.location = op.location();
  state.attributes.assign(op.attributes().begin(), op.attributes().end());
  for (Value operand : op.operands()) {
    state.operands.push_back(Mapped(map, operand));
  }
  for (Value result : op.results()) state.results.push_back(result.type());
  OperationPtr copy(Operation::Create(state));
  for (int i = 0; i < op.num_results(); ++i) {
    copy->result(i).SetHint(op.result(i).hint_attribute());
    map[op.result(i)] = copy->result(i);
  }
  return copy;
}

void CloneArguments(const Block& from, Block& to, ValueMap& map) {
  for (Value argument : from.arguments()) {
    Value copy = to.AddArgument(argument.type(), argument.role(),
                                argument.argument_name_attribute());
    copy.SetHint(argument.hint_attribute());
    map[argument] = copy;
  }
}

}  // namespace

void CloneInto(const Block& from, Block& to, ValueMap& map) {
  CloneArguments(from, to, map);
  // An explicit stack of where each open block has got to: nesting costs no
  // recursion.
  struct Position {
    Operation* next;
    Block* to;
  };
  std::vector<Position> open = {{from.front(), &to}};
  while (!open.empty()) {
    Operation* op = open.back().next;
    if (op == nullptr) {
      open.pop_back();
      continue;
    }
    open.back().next = op->next();
    Operation* copy = CloneShallow(*op, map).release();
    open.back().to->push_back(copy);
    for (int i = op->num_regions() - 1; i >= 0; --i) {
      CloneArguments(op->block(i), copy->block(i), map);
      open.push_back({op->block(i).front(), &copy->block(i)});
    }
  }
}

OperationPtr Clone(const Operation& op, ValueMap& map) {
  OperationPtr copy = CloneShallow(op, map);
  for (int i = 0; i < op.num_regions(); ++i) {
    CloneInto(op.block(i), copy->block(i), map);
  }
  return copy;
}

}  // namespace switchyard::static_graph::ir
