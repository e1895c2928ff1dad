// SPDX-License-Identifier: Apache-2.0
// The part of CallLowering that copies values from one place to another.
#include <vector>

#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/lowering/call_lowering.h"

namespace switchyard::static_graph {

using TransformKind = phi::selection::Transform::Kind;

absl::StatusOr<ir::Value> CallLowering::Copy(ir::Builder& builder,
                                             ir::Value value) {
  phi::selection::Transform copy;
  copy.kind = TransformKind::kCopy;
  copy.place = GetFacts(value).place;
  return Transform(builder, value, copy);
}

// Puts copies on `place` for the inputs of a call, those too that kernels take
// as they are.
absl::Status CallLowering::CopyInputs(ir::Builder& builder, Place place,
                                      OpCall* call) {
  phi::selection::Transform copy;
  copy.kind = TransformKind::kCopy;
  copy.place = place;
  for (size_t slot = 0; slot < call->inputs.size(); ++slot) {
    ir::Value& input = call->inputs[slot];
    if (!input || GetFacts(input).place == place) continue;
    SY_ASSIGN_OR_RETURN(input, Transform(builder, input, copy));
    // A call of its own: selection, which did not ask for it, sees its result.
    input.defining_op()->RemoveAttribute(kTransformAttr);
  }
  return absl::OkStatus();
}

absl::Status CallLowering::ReturnFromHost(ir::Builder& builder,
                                          absl::Span<const ir::Value> results,
                                          Place place, bool moved) {
  for (ir::Value result : results) {
    phi::selection::Transform back;
    back.kind = TransformKind::kCopy;
    back.place = place;
    SY_ASSIGN_OR_RETURN(const ir::Value returned,
                        Transform(builder, result, back));
    result.ReplaceAllUsesWith(returned);
    returned.defining_op()->SetOperand(0, result);
    if (moved) returned.defining_op()->RemoveAttribute(kTransformAttr);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
