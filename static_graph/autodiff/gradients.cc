// SPDX-License-Identifier: Apache-2.0
#include "static_graph/autodiff/gradients.h"

#include "absl/cleanup/cleanup.h"
#include "static_graph/autodiff/mark.h"
#include "static_graph/autodiff/reverse.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/value_form.h"

namespace switchyard::static_graph {
namespace {

absl::Status CheckTarget(ir::Value target, const GradientOptions& options) {
  const ir::TensorType type = target.tensor_type();
  if (!IsDifferentiable(type.dtype())) {
    return TypeError("target", "of a floating or complex dtype",
                     ir::ToString(type));
  }
  if (options.target_gradient) {
    if (options.target_gradient.tensor_type().dtype() == type.dtype() &&
        MayEqual(options.target_gradient.tensor_type().shape(), type.shape())) {
      return absl::OkStatus();
    }
    return ArgumentError("target_gradient", ir::ToString(type),
                         ir::ToString(options.target_gradient.type()));
  }
  for (Dim dim : type.shape().dims()) {
    if (!MayEqual(dim, Dim(1))) {
      return ArgumentError("target", "of one element", ir::ToString(type));
    }
  }
  return absl::OkStatus();
}

// The operations of the target's block up to the target, in reverse order.
std::vector<ir::Operation*> OperationsBefore(ir::Value target) {
  std::vector<ir::Operation*> operations;
  for (ir::Operation* op = target.defining_op(); op != nullptr;
       op = op->previous()) {
    operations.push_back(op);
  }
  return operations;
}

}  // namespace

absl::StatusOr<std::vector<ir::Value>> BuildGradients(
    ir::Builder& builder, ir::Value target, absl::Span<const ir::Value> wrt,
    const GradientOptions& options) {
  SY_RETURN_IF_ERROR(Annotate(CheckTarget(target, options), "gradients"));
  SY_RETURN_IF_ERROR(
      Annotate(ir::CheckValueForm(*target.parent_block()), "gradients"));
  const std::vector<ir::Operation*> operations = OperationsBefore(target);
  const ir::Location location = builder.location();
  const auto restore =
      absl::MakeCleanup([&] { builder.SetLocation(location); });
  Reverse reverse(&builder);
  GradientSums& sums = reverse.sums();
  sums.Require(wrt);
  sums.Stop(options.stop_gradient);
  // Dependence spreads forwards.
  for (auto op = operations.rbegin(); op != operations.rend(); ++op) {
    Mark(**op, &sums);
  }
  if (sums.required(target)) {
    ir::Value ones = options.target_gradient;
    if (!ones) {
      SY_ASSIGN_OR_RETURN(ones, sums.Filled(target, 1.0));
    }
    SY_RETURN_IF_ERROR(sums.Accumulate(target, ones));
    for (ir::Operation* op : operations) {
      SY_RETURN_IF_ERROR(reverse.Visit(*op));
    }
  }
  std::vector<ir::Value> gradients;
  for (ir::Value value : wrt) gradients.push_back(sums.gradient(value));
  return gradients;
}

}  // namespace switchyard::static_graph
