// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/op_view.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/build_op.h"

namespace switchyard::static_graph {
namespace {

// A call that has no operation of its own, as it was asked for.
absl::StatusOr<OpCall> CallOf(ir::Context* context, const DialectOp& op,
                              const FlatValues& inputs,
                              absl::Span<const AttrRef> attrs,
                              std::vector<ir::Value> results) {
  OpCall call;
  call.op = &op;
  call.inputs.assign(inputs.tensors().begin(), inputs.tensors().end());
  const phi::Slots slots = inputs.slots();
  for (int i = 0; i <= slots.arguments(); ++i) {
    call.input_begins.push_back(static_cast<uint16_t>(
        i < slots.arguments() ? slots.begin(i) : slots.size()));
  }
  for (const AttrRef& attr : attrs) {
    // The context's copy lives on.
    call.attrs.push_back(*context->GetAttribute(attr).ref());
  }
  call.output_begins.resize(op.info->outputs.size() + 1);
  SY_RETURN_IF_ERROR(
      phi::OutputSlots(*op.info, slots, call.attrs, call.output_begins.data()));
  call.outputs = std::move(results);
  return call;
}

}  // namespace

absl::StatusOr<OpCall> OpView::BuildCall(ir::Builder& builder,
                                         const DialectOp& op,
                                         const FlatValues& inputs,
                                         absl::Span<const AttrRef> attrs) {
  SY_RETURN_IF_ERROR(Annotate(inputs.Check(), op.info->name));
  std::vector<ir::Value> results;
  SY_RETURN_IF_ERROR(
      BuildOp(builder, op, inputs.tensors(), inputs.slots(), attrs, &results));
  if (IsAnothersCall(op)) {
    return CallOf(builder.context(), op, inputs, attrs, std::move(results));
  }
  for (const ir::Value result : results) {
    if (result) return ReadCall(*result.defining_op());
  }
  return absl::InternalError(
      absl::StrCat(op.info->name, ": a call must have a result, got none"));
}

absl::StatusOr<OpCall> OpView::ReadAs(const ir::Operation& operation,
                                      const DialectOp& op) {
  const DialectOp* actual = FindDialectOp(operation);
  if (actual != &op) {
    return ArgumentError(
        "operation", absl::StrCat("a call of ", op.info->name),
        actual == nullptr ? "another operation" : actual->info->name);
  }
  return ReadCall(operation);
}

}  // namespace switchyard::static_graph
