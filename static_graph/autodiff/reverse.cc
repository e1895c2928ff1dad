// SPDX-License-Identifier: Apache-2.0
#include "static_graph/autodiff/reverse.h"

#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "static_graph/autodiff/backward_call.h"
#include "static_graph/autodiff/mark.h"
#include "static_graph/autodiff/reverse_regions.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/dialect/composite_ops.h"
#include "static_graph/dialect/custom_gradient.h"
#include "static_graph/dialect/op_call.h"

namespace switchyard::static_graph {

absl::Status Reverse::Visit(const ir::Operation& op) {
  bool reached = false;
  for (int i = 0; i < op.num_results(); ++i) {
    reached |= bool(sums_.gradient(op.result(i)));
  }
  if (!reached) return absl::OkStatus();
  // The backward comes from where the forward does.
  sums_.builder().SetLocation(op.location());
  return ir::AtLocation(VisitReached(copies_.Recomputed(op, &sums_)),
                        op.location());
}

absl::Status Reverse::VisitReached(const ir::Operation& op) {
  if (op.name() == kIfOp) return ReverseIf(op, &sums_);
  if (op.name() == kWhileOp) return ReverseWhile(op, &sums_);
  if (op.name() == kCustomGradientOp) return ReverseCustomGradient(op, &sums_);
  if (op.name() == kKeptGradientOp) {
    return sums_.Accumulate(op.operand(1), sums_.gradient(op.result(0)));
  }
  return VisitCall(op);
}

// An operator that has no gradient but is written as others that have: it is
// written out here once more (the gradient of a gradient comes this way).
absl::Status Reverse::VisitComposite(const ir::Operation& op) {
  SY_ASSIGN_OR_RETURN(const OpCall call, ReadCall(op));
  absl::InlinedVector<bool, 8> wanted;
  for (ir::Value output : call.outputs) wanted.push_back(bool(output));
  ir::Operation* const before = sums_.builder().previous();
  std::vector<ir::Value> results;
  SY_RETURN_IF_ERROR(BuildComposite(
      sums_.builder(), *call.op, call.inputs.view(), call.attrs, call.supplied,
      {wanted, call.outputs.segments()}, &results));
  std::vector<ir::Operation*> written;
  for (ir::Operation* made = sums_.builder().previous(); made != before;
       made = made->previous()) {
    written.push_back(made);
  }
  for (auto made = written.rbegin(); made != written.rend(); ++made) {
    Mark(**made, &sums_);
  }
  for (size_t slot = 0; slot < results.size(); ++slot) {
    const ir::Value sum =
        wanted[slot] ? sums_.gradient(call.outputs[slot]) : ir::Value();
    if (sum) SY_RETURN_IF_ERROR(sums_.Accumulate(results[slot], sum));
  }
  for (ir::Operation* made : written) SY_RETURN_IF_ERROR(Visit(*made));
  return absl::OkStatus();
}

absl::Status Reverse::VisitCall(const ir::Operation& op) {
  // An operation that computed one of the values in question need not be
  // reversed.
  bool needed = false;
  for (int i = 0; i < op.num_operands(); ++i) {
    needed |= sums_.required(op.operand(i));
  }
  if (!needed) return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const OpCall call, ReadCall(op));
  if (call.op->grad == nullptr && call.op->composite == nullptr) {
    return absl::UnimplementedError(absl::StrCat(
        call.op->info->name,
        " is not differentiable: it has neither a backward operator nor a "
        "composite"));
  }
  if (call.op->grad == nullptr) return VisitComposite(op);
  return BuildBackwardCall(call, &sums_);
}

}  // namespace switchyard::static_graph
