// SPDX-License-Identifier: Apache-2.0
// The backward of cf.if: a cf.if on the same condition, whose branches compute
// the forward branch again (recompute.h) and go backwards through it.
#include "static_graph/autodiff/mark.h"
#include "static_graph/autodiff/recompute.h"
#include "static_graph/autodiff/reverse.h"
#include "static_graph/autodiff/reverse_regions.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/ir/block.h"

namespace switchyard::static_graph {
namespace {

// Returns the gradients of `captured` through a branch, for the gradients of
// the results in `sums`, added to those of `captured` there.
absl::StatusOr<std::vector<ir::Value>> DifferentiateBranch(
    const ir::Operation& op, int branch, absl::Span<const ir::Value> captured,
    const GradientSums& sums, ir::Builder& builder) {
  ir::ValueMap map;
  const ir::Operation* terminator = op.block(branch).terminator();
  const std::vector<ir::Operation*> copies =
      CloneOperations(op.block(branch), builder, &map);
  Reverse reverse(&builder);
  GradientSums& inside = reverse.sums();
  inside.Require(captured);
  inside.StopAs(sums, map);
  for (const ir::Operation* copy : copies) Mark(*copy, &inside);
  for (ir::Value value : captured) {
    if (const ir::Value sum = sums.gradient(value)) inside.Replace(value, sum);
  }
  for (int i = 0; i < op.num_results(); ++i) {
    const ir::Value arrived = sums.gradient(op.result(i));
    if (!arrived) continue;
    SY_RETURN_IF_ERROR(
        inside.Accumulate(Mapped(map, terminator->operand(i)), arrived));
  }
  for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) {
    SY_RETURN_IF_ERROR(reverse.Visit(**copy));
  }
  std::vector<ir::Value> ends;
  for (ir::Value value : captured) {
    SY_ASSIGN_OR_RETURN(ends.emplace_back(), inside.SumOrNothing(value));
  }
  return ends;
}

}  // namespace

absl::Status ReverseIf(const ir::Operation& op, GradientSums* sums) {
  SY_RETURN_IF_ERROR(CheckRecomputable(op));
  const std::vector<ir::Value> captured =
      RequiredCaptures(op, {&op.block(0), &op.block(1)}, *sums);
  SY_RETURN_IF_ERROR(sums->MakeDense(captured));
  SY_RETURN_IF_ERROR(sums->MakeDense(op.results()));
  const auto branch = [&](int number) {
    return [&, number](ir::Builder& builder) {
      return DifferentiateBranch(op, number, captured, *sums, builder);
    };
  };
  const auto then_branch = branch(0);
  const auto else_branch = branch(1);
  SY_ASSIGN_OR_RETURN(
      const std::vector<ir::Value> ends,
      BuildIf(sums->builder(), op.operand(0), then_branch, else_branch));
  for (size_t i = 0; i < captured.size(); ++i) {
    sums->Replace(captured[i], ends[i]);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
