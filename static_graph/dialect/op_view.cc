// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/op_view.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/register_dialects.h"

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

// Whether the class was generated of the operator.
bool IsOf(const ViewedOp& view, const DialectOp& op) {
  return op.info->name == view.name &&
         op.info->inputs.size() == static_cast<size_t>(view.inputs) &&
         op.info->attrs.size() == static_cast<size_t>(view.attrs) &&
         op.info->outputs.size() == static_cast<size_t>(view.outputs);
}

}  // namespace

const DialectOp* OpView::FindViewed(const ir::Context& context,
                                    const ViewedOp& op) {
  const DialectOp* const found = FindOperator(context, op.name);
  return found != nullptr && IsOf(op, *found) ? found : nullptr;
}

absl::StatusOr<OpCall> OpView::BuildCall(
    ir::Builder& builder, const ViewedOp& view,
    const phi::ArgBuffer<ir::Value>& inputs, absl::Span<const AttrRef> attrs) {
  const DialectOp* const found = FindViewed(*builder.context(), view);
  if (found == nullptr) {
    return absl::NotFoundError(
        absl::StrCat(std::string(view.name),
                     ": the operator is not registered with the context"));
  }
  const DialectOp& op = *found;
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
                                      const ViewedOp& view) {
  const DialectOp* actual = FindDialectOp(operation);
  if (actual == nullptr || !IsOf(view, *actual)) {
    return ArgumentError(
        "operation", absl::StrCat("a call of ", std::string(view.name)),
        actual == nullptr ? "another operation" : actual->info->name);
  }
  SY_ASSIGN_OR_RETURN(OpCall call, ReadCall(operation));
  if (call.supplied.empty()) return call;
  return ArgumentError(actual->info->attrs[call.supplied[0].attr].name,
                       "an attribute of the operation", "a value's elements");
}

std::optional<OpCall> OpView::MatchAs(const ir::Operation& operation,
                                      const ViewedOp& view) {
  const std::string_view name = operation.name();
  if (name.size() != kOpPrefix.size() + view.name.size() ||
      name.substr(kOpPrefix.size()) != view.name ||
      name.substr(0, kOpPrefix.size()) != kOpPrefix) {
    return std::nullopt;
  }
  const DialectOp* const op = FindDialectOp(operation);
  if (op == nullptr || !IsOf(view, *op) || operation.attribute(kOpDeviceAttr)) {
    return std::nullopt;
  }
  absl::StatusOr<OpCall> call = ReadCall(operation);
  if (!call.ok() || !call->supplied.empty()) return std::nullopt;
  return *std::move(call);
}

}  // namespace switchyard::static_graph
