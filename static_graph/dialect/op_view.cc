// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/op_view.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/build_op.h"

namespace switchyard::static_graph {
namespace {

// A call that has no operation of its own, from its arguments.
absl::StatusOr<OpCall> CallOf(ir::Context* context, const DialectOp& op,
                              const phi::ArgBuffer<ir::Value>& inputs,
                              absl::Span<const AttrRef> attrs,
                              absl::Span<const ir::Value> results) {
  OpCall call;
  call.op = &op;
  call.inputs = inputs;
  for (const AttrRef& attr : attrs) {
    // The context's copy lives on.
    call.attrs.push_back(*context->GetAttribute(attr).ref());
  }
  phi::ArgLayout layout;
  SY_RETURN_IF_ERROR(
      phi::LayOutOutputs(*op.info, inputs.segments(), call.attrs, &layout));
  const phi::ArgList<const ir::Value> outputs(results, layout.segments());
  for (int i = 0; i < outputs.arguments(); ++i) {
    call.outputs.AddList(outputs.list(i));
  }
  return call;
}

}  // namespace

absl::StatusOr<OpCall> OpView::BuildCall(
    ir::Builder& builder, const DialectOp& op,
    const phi::ArgBuffer<ir::Value>& inputs, absl::Span<const AttrRef> attrs) {
  SY_RETURN_IF_ERROR(Annotate(inputs.Check(), op.info->name));
  std::vector<ir::Value> results;
  SY_RETURN_IF_ERROR(BuildOp(builder, op, inputs.view(), attrs, &results));
  if (IsAnothersCall(op)) {
    return CallOf(builder.context(), op, inputs, attrs, results);
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
  SY_ASSIGN_OR_RETURN(OpCall call, ReadCall(operation));
  if (call.supplied.empty()) return call;
  return ArgumentError(op.info->attrs[call.supplied[0].attr].name,
                       "an attribute of the operation", "a value's elements");
}

}  // namespace switchyard::static_graph
