// SPDX-License-Identifier: Apache-2.0
// The backward of cf.if: a cf.if on the same condition, whose branches compute
// the forward branch again (a region can't see into another) and go backwards
// through it. Recomputed values have the same bits: operators are pure, random
// ones too.
#include <algorithm>

#include "static_graph/autodiff/reverse.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/ir/block.h"
#include "static_graph/ir/clone.h"

namespace switchyard::static_graph {
namespace {

bool IsInside(const ir::Operation& op, ir::Value value) {
  const ir::Operation* around = value.is_argument()
                                    ? value.argument_block()->parent_op()
                                    : value.defining_op();
  return op.IsAncestorOf(around);
}

// Collects the values from around `op` that a block inside it uses and
// `reverse` requires, each once, in the order of the text. Regions are nested
// kMaxRegionDepth deep at most.
void CollectCaptured(const ir::Operation& op, const ir::Block& block,
                     const Reverse& reverse, std::vector<ir::Value>* captured) {
  for (const ir::Operation* inner : block) {
    for (ir::Value operand : inner->operands()) {
      if (!reverse.required(operand) || IsInside(op, operand)) continue;
      if (std::find(captured->begin(), captured->end(), operand) ==
          captured->end()) {
        captured->push_back(operand);
      }
    }
    for (int i = 0; i < inner->num_regions(); ++i) {
      CollectCaptured(op, inner->block(i), reverse, captured);
    }
  }
}

ir::Value Mapped(const ir::ValueMap& map, ir::Value value) {
  const auto found = map.find(value);
  return found == map.end() ? value : found->second;
}

}  // namespace

absl::StatusOr<std::vector<ir::Value>> Reverse::DifferentiateBranch(
    const ir::Operation& op, int branch, absl::Span<const ir::Value> captured,
    ir::Builder& builder) {
  ir::ValueMap map;
  std::vector<ir::Operation*> copies;
  const ir::Operation* terminator = op.block(branch).terminator();
  for (const ir::Operation* inner : op.block(branch)) {
    if (inner == terminator) break;
    copies.push_back(ir::Clone(*inner, map));
    builder.block()->push_back(copies.back());
  }
  Reverse inside(&builder);
  inside.Require(captured);
  for (ir::Value value : stopped_) inside.stopped_.insert(Mapped(map, value));
  for (const ir::Operation* copy : copies) inside.Mark(*copy);
  for (ir::Value value : captured) {
    if (const ir::Value sum = gradient(value)) inside.gradients_[value] = sum;
  }
  for (int i = 0; i < op.num_results(); ++i) {
    const ir::Value arrived = gradient(op.result(i));
    if (!arrived) continue;
    SY_RETURN_IF_ERROR(
        inside.Accumulate(Mapped(map, terminator->operand(i)), arrived));
  }
  for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) {
    SY_RETURN_IF_ERROR(inside.Visit(**copy));
  }
  std::vector<ir::Value> sums;
  for (ir::Value value : captured) {
    ir::Value sum = inside.gradient(value);
    if (!sum) {
      SY_ASSIGN_OR_RETURN(sum, inside.Filled(value, 0.0));
    }
    sums.push_back(sum);
  }
  return sums;
}

absl::Status Reverse::VisitIf(const ir::Operation& op) {
  std::vector<ir::Value> captured;
  CollectCaptured(op, op.block(0), *this, &captured);
  CollectCaptured(op, op.block(1), *this, &captured);
  const auto branch = [&](int number) {
    return [&, number](ir::Builder& builder) {
      return DifferentiateBranch(op, number, captured, builder);
    };
  };
  const auto then_branch = branch(0);
  const auto else_branch = branch(1);
  SY_ASSIGN_OR_RETURN(
      const std::vector<ir::Value> sums,
      BuildIf(*builder_, op.operand(0), then_branch, else_branch));
  for (size_t i = 0; i < captured.size(); ++i) {
    gradients_[captured[i]] = sums[i];
  }
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
