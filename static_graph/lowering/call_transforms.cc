// SPDX-License-Identifier: Apache-2.0
#include "static_graph/lowering/call_transforms.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/dialect/infer_types.h"
#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/register_dialects.h"

namespace switchyard::static_graph {

using phi::selection::Selection;
using TransformKind = phi::selection::Transform::Kind;

ir::Operation* CreateKernelCall(ir::Builder& builder, const DialectOp& op,
                                ir::OperationState state,
                                const AskedCall& asked, bool transform) {
  const Selection& selection = asked.selection;
  state.definition = builder.context()->FindOp(
      std::string(kKernelPrefix).append(op.info->name));
  const auto add = [&](const char* name, AttrRef value) {
    state.attributes.push_back(builder.Named(name, value));
  };
  if (selection.kernel != nullptr) {
    add(kKernelAttr, std::string_view(KernelSymbol(*selection.kernel)));
  }
  if (!selection.residual.empty()) {
    std::vector<std::string> symbols;
    for (const phi::KernelDef* kernel : selection.residual) {
      symbols.push_back(KernelSymbol(*kernel));
    }
    state.attributes.push_back(
        builder.Named(kCandidatesAttr, builder.context()->GetStrings(symbols)));
  }
  add(kKeyDtypeAttr, asked.query.dtype);
  add(kRunsOnAttr, selection.fallback ? Place::Cpu() : asked.query.place);
  if (selection.fallback) add(kFallbackAttr, asked.query.place);
  if (transform) add(kTransformAttr, true);
  return builder.Create(state);
}

namespace {

absl::StatusOr<ir::Value> CreateTransform(CallSelector* selector,
                                          ir::Builder& builder,
                                          const char* name, ir::Value value,
                                          absl::Span<const AttrRef> attrs,
                                          Place result_place) {
  OpCall call;
  call.op = FindOperator(*builder.context(), name);
  if (call.op == nullptr) {
    return absl::NotFoundError(
        absl::StrCat(name, ": the operator is not registered"));
  }
  call.inputs.AddOne(value);
  call.attrs.assign(attrs.begin(), attrs.end());
  AskedCall asked;
  SY_RETURN_IF_ERROR(Annotate(selector->Ask(call, &asked), name));
  const phi::OpKernels* const op_kernels = selector->table().Find(name);
  if (op_kernels == nullptr) {
    return absl::NotFoundError(
        absl::StrCat(name, ": no kernel of it is linked"));
  }
  SY_ASSIGN_OR_RETURN(asked.selection,
                      phi::selection::Select(
                          *op_kernels, asked.query,
                          selector->options().admitted().WithoutTransforms()));
  const ir::TensorType types[] = {value.tensor_type()};
  SY_ASSIGN_OR_RETURN(const std::vector<TensorSpec> metas,
                      InferMeta(*call.op->info, {types, attrs, {true}}));
  ir::OperationState state;
  state.operands = {value};
  state.results = {builder.context()->GetTensorType(metas[0])};
  for (size_t i = 0; i < attrs.size(); ++i) {
    state.attributes.push_back(
        builder.Named(call.op->info->attrs[i].name, attrs[i]));
  }
  const ir::Operation* op = CreateKernelCall(
      builder, *call.op, std::move(state), asked, /*transform=*/true);
  selector->SetFacts(op->result(0), {result_place, true});
  return op->result(0);
}

}  // namespace

absl::StatusOr<ir::Value> CallTransforms::Transform(
    ir::Builder& builder, ir::Value value,
    const phi::selection::Transform& transform) {
  const TensorKind kind = value.tensor_type().kind();
  const bool copied_rows = kind == TensorKind::kSelectedRows &&
                           transform.kind == TransformKind::kCopy;
  if (kind != TensorKind::kDense && !copied_rows) {
    return TypeError(
        absl::StrCat(phi::selection::OperatorName(transform.kind), ": x"),
        "dense", Name(kind));
  }
  const std::optional<AttrRef> attribute =
      phi::selection::TransformAttribute(transform);
  absl::Span<const AttrRef> attrs;
  if (attribute.has_value()) attrs = absl::MakeConstSpan(&*attribute, 1);
  const bool copy = transform.kind == TransformKind::kCopy;
  return CreateTransform(
      &selector_, builder, phi::selection::OperatorName(transform.kind), value,
      attrs, copy ? transform.place : selector_.facts(value).place);
}

absl::StatusOr<ir::Value> CallTransforms::Reorder(ir::Builder& builder,
                                                  ir::Value value,
                                                  LayoutDescriptor layout) {
  phi::selection::Transform reorder;
  reorder.kind = TransformKind::kReorder;
  reorder.layout = layout;
  return Transform(builder, value, reorder);
}

absl::StatusOr<ir::Value> CallTransforms::ReorderResult(ir::Builder& builder,
                                                        ir::Value result) {
  SY_ASSIGN_OR_RETURN(const ir::Value strided,
                      Reorder(builder, result, LayoutDescriptor()));
  strided.defining_op()->SetAttribute(context_->GetString(kOfResultAttr),
                                      context_->GetAttribute(true));
  result.ReplaceAllUsesWith(strided);
  strided.defining_op()->SetOperand(0, result);
  return strided;
}

absl::StatusOr<ir::Value> CallTransforms::Copy(ir::Builder& builder,
                                               ir::Value value) {
  phi::selection::Transform copy;
  copy.kind = TransformKind::kCopy;
  copy.place = selector_.facts(value).place;
  return Transform(builder, value, copy);
}

absl::Status CallTransforms::CopyInputs(ir::Builder& builder, Place place,
                                        OpCall* call) {
  phi::selection::Transform copy;
  copy.kind = TransformKind::kCopy;
  copy.place = place;
  for (size_t slot = 0; slot < call->inputs.size(); ++slot) {
    ir::Value& input = call->inputs[slot];
    if (!input || selector_.facts(input).place == place) continue;
    SY_ASSIGN_OR_RETURN(input, Transform(builder, input, copy));
    // A call of its own: selection, which did not ask for it, sees its result.
    input.defining_op()->RemoveAttribute(kTransformAttr);
  }
  return absl::OkStatus();
}

absl::Status CallTransforms::CopyResults(ir::Builder& builder,
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
