// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/captures.h"

#include "framework/base/hash_map.h"

namespace switchyard::static_graph::ir {
namespace {

bool IsInside(const Operation& op, Value value) {
  const Operation* around = value.is_argument()
                                ? value.argument_block()->parent_op()
                                : value.defining_op();
  return op.IsAncestorOf(around);
}

}  // namespace

std::vector<Value> CapturedValues(const Operation& op,
                                  absl::Span<const Block* const> blocks) {
  std::vector<Value> captured;
  HashSet<Value> seen;
  for (const Block* block : blocks) {
    for (const Operation* inner : AllOperations(*block)) {
      for (int i = 0; i < inner->num_operands(); ++i) {
        const Value operand = inner->operand(i);
        if (IsInside(op, operand)) continue;
        if (seen.insert(operand).second) captured.push_back(operand);
      }
    }
  }
  return captured;
}

}  // namespace switchyard::static_graph::ir
