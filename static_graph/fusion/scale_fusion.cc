// SPDX-License-Identifier: Apache-2.0
#include "static_graph/fusion/scale_fusion.h"

#include <optional>

#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/op_traits.h"
#include "static_graph/ir/builder.h"

namespace switchyard::static_graph {
namespace {

// scale * x + bias.
struct Scaling {
  double scale;
  double bias;
};

// Nothing if the operation is no scale of this form on a floating tensor.
std::optional<Scaling> ScalingOf(const ir::Operation* op) {
  if (op == nullptr || !op->has<AffineTrait>() || op->num_operands() != 1 ||
      op->num_results() != 1 || op->attribute(kOpDeviceAttr) ||
      !IsFloating(op->result(0).tensor_type().dtype())) {
    return std::nullopt;
  }
  // Attributes that are left out have the operator's defaults.
  const Scalar scale = op->attribute(kScaleAttr).As<Scalar>().value_or(1.0);
  const Scalar bias = op->attribute(kBiasAttr).As<Scalar>().value_or(0.0);
  if (!op->attribute(kBiasAfterScaleAttr).As<bool>().value_or(true)) {
    return std::nullopt;
  }
  return Scaling{scale.ToDouble(), bias.ToDouble()};
}

void SetScalar(ir::Context* context, ir::Operation* op, const char* name,
               double value) {
  const Scalar scalar(value);
  op->SetAttribute(context->GetString(name),
                   context->GetAttribute(AttrRef(scalar)));
}

// Makes `op` the scale of its operand's operand, if that is a scale that
// nobody else uses.
bool MergeWithOperand(ir::Context* context, ir::Operation* op) {
  const std::optional<Scaling> outer = ScalingOf(op);
  if (!outer.has_value()) return false;
  const ir::Value operand = op->operand(0);
  ir::Operation* inner_op = operand.defining_op();
  const std::optional<Scaling> inner = ScalingOf(inner_op);
  if (!inner.has_value() || !operand.has_one_use() ||
      op->attribute(kPolicyAttr) != inner_op->attribute(kPolicyAttr)) {
    return false;
  }
  SetScalar(context, op, kScaleAttr, outer->scale * inner->scale);
  SetScalar(context, op, kBiasAttr, outer->scale * inner->bias + outer->bias);
  op->SetOperand(0, inner_op->operand(0));
  inner_op->Erase();
  return true;
}

bool RemoveIfIdentity(ir::Operation* op) {
  const std::optional<Scaling> scaling = ScalingOf(op);
  if (!scaling.has_value() || scaling->scale != 1 || scaling->bias != 0 ||
      op->operand(0).type() != op->result(0).type()) {
    return false;
  }
  op->result(0).ReplaceAllUsesWith(op->operand(0));
  op->Erase();
  return true;
}

}  // namespace

absl::StatusOr<bool> ScaleFusion::Run(ir::Program& program) {
  bool changed = false;
  // In the order of the program each scale meets an operand that has been
  // merged already, so chains of any length become one.
  for (ir::Operation* op : ir::AllOperations(program.entry())) {
    changed |= MergeWithOperand(program.context(), op);
    changed |= RemoveIfIdentity(op);
  }
  return changed;
}

}  // namespace switchyard::static_graph
