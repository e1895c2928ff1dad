// SPDX-License-Identifier: Apache-2.0
// The backward of cf.if: a cf.if on the same condition, whose branches compute
// the forward branch again (recompute.h) and go backwards through it.
#include "static_graph/autodiff/recompute.h"
#include "static_graph/autodiff/reverse.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/ir/block.h"

namespace switchyard::static_graph {

absl::StatusOr<std::vector<ir::Value>> Reverse::DifferentiateBranch(
    const ir::Operation& op, int branch, absl::Span<const ir::Value> captured,
    ir::Builder& builder) {
  ir::ValueMap map;
  const ir::Operation* terminator = op.block(branch).terminator();
  const std::vector<ir::Operation*> copies =
      CloneOperations(op.block(branch), builder, &map);
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
    SY_ASSIGN_OR_RETURN(sums.emplace_back(), inside.SumOrNothing(value));
  }
  return sums;
}

absl::Status Reverse::VisitIf(const ir::Operation& op) {
  SY_RETURN_IF_ERROR(CheckRecomputable(op));
  const std::vector<ir::Value> captured =
      RequiredCaptures(op, {&op.block(0), &op.block(1)}, *this);
  SY_RETURN_IF_ERROR(MakeDense(captured));
  SY_RETURN_IF_ERROR(MakeDense(op.results()));
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
    gradients_[First(captured[i])] = sums[i];
  }
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
