// SPDX-License-Identifier: Apache-2.0
#include "static_graph/lowering/call_lowering.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "static_graph/dialect/alias_analysis.h"
#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/ir/checkpoint_attributes.h"
#include "static_graph/lowering/call_device.h"
#include "static_graph/lowering/operation_selection.h"

namespace switchyard::static_graph {
namespace {

using phi::selection::Selection;
using TransformKind = phi::selection::Transform::Kind;

// Which operand an input slot is: absent slots have none.
int OperandOfSlot(const OpCall& call, int slot) {
  return static_cast<int>(
      std::count_if(call.inputs.begin(), call.inputs.begin() + slot,
                    [](ir::Value input) { return static_cast<bool>(input); }));
}

std::vector<ir::Value> PresentValues(const phi::ArgBuffer<ir::Value>& values) {
  std::vector<ir::Value> present;
  for (ir::Value value : values) {
    if (value) present.push_back(value);
  }
  return present;
}

// Returns the types of a kernel's results, with the layouts that it yields.
std::vector<ir::Type> ResultTypes(ir::Context* context, const ir::Operation& op,
                                  const OpCall& call,
                                  const phi::selection::Transforms& layouts) {
  std::vector<ir::Type> types;
  for (ir::Value result : op.results()) types.push_back(result.type());
  for (const phi::selection::Transform& transform : layouts) {
    const ir::Value result = call.outputs[transform.slot];
    TensorSpec spec = result.tensor_type().spec();
    spec.layout = transform.layout;
    types[result.index()] = context->GetTensorType(spec);
  }
  return types;
}

// Puts transforms in front of the operands. Those of an undecided call are
// known with its kernel, but a fallback's copies are made for each that it may
// have.
absl::Status TransformInputs(ir::Builder& builder, const OpCall& call,
                             const Selection& selection,
                             CallTransforms* transforms,
                             std::vector<ir::Value>* operands) {
  const bool decided = selection.residual.empty();
  for (const phi::selection::Transform& transform : selection.transforms) {
    const bool moves =
        selection.fallback && transform.kind == TransformKind::kCopy;
    if (!decided && !moves) continue;
    ir::Value& operand = (*operands)[OperandOfSlot(call, transform.slot)];
    SY_ASSIGN_OR_RETURN(operand,
                        transforms->Transform(builder, operand, transform));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CallLowering::LowerCall(ir::Operation* op) {
  const Place home_place = selector_.options().place;
  SY_ASSIGN_OR_RETURN(OpCall call, ReadCall(*op));
  SY_ASSIGN_OR_RETURN(const std::optional<Place> device,
                      DeviceOf(*op, call, home_place));
  ir::Builder builder(context_);
  builder.SetInsertionPoint(op);
  const bool moved = device.value_or(home_place) != home_place;
  if (moved) {
    SY_RETURN_IF_ERROR(CheckCopies(call, "op_device", home_place));
    SY_RETURN_IF_ERROR(transforms_.CopyInputs(builder, *device, &call));
  }
  SY_ASSIGN_OR_RETURN(
      const phi::selection::Policy policy,
      PolicyOf(*op, selector_.table(), selector_.options().admitted()));
  AskedCall asked;
  SY_RETURN_IF_ERROR(selector_.Select(call, device, policy, &asked));
  const Place home = moved ? home_place : asked.query.place;
  if (policy.allow_fallback &&
      MayFallBack(asked.selection, asked.query.place)) {
    SY_RETURN_IF_ERROR(CheckCopies(call, "a fallback", home));
    SY_RETURN_IF_ERROR(DecideFallback(call, home, policy, &asked.selection));
  }
  const bool fallback = asked.selection.fallback;
  const bool decided = asked.selection.residual.empty();
  ir::OperationState state;
  state.operands = PresentValues(call.inputs);
  const size_t inputs = state.operands.size();
  SY_RETURN_IF_ERROR(TransformInputs(builder, call, asked.selection,
                                     &transforms_, &state.operands));
  // Operands that supply attributes are read on the host, as they are.
  for (int i = static_cast<int>(inputs); i < op->num_operands(); ++i) {
    state.operands.push_back(op->operand(i));
  }
  for (const ir::NamedAttribute& attribute : op->attributes()) {
    const std::string_view name = attribute.name.text();
    if (name == kOpDeviceAttr || ir::IsCheckpointAttribute(name)) continue;
    state.attributes.push_back(attribute);
  }
  if (!decided) asked.selection.output_transforms.clear();
  state.results =
      ResultTypes(context_, *op, call, asked.selection.output_transforms);
  ir::Operation* lowered =
      CreateKernelCall(builder, *call.op, std::move(state), asked,
                       /*transform=*/false);
  const Place place = phi::selection::ResultPlace(
      asked.query.attrs, fallback ? Place::Cpu() : asked.query.place);
  std::vector<ir::Value> results;
  for (int i = 0; i < op->num_results(); ++i) {
    ir::Value result = lowered->result(i);
    result.SetHint(op->result(i).hint_attribute());
    selector_.SetFacts(result, {place, !IsView(result)});
    op->result(i).ReplaceAllUsesWith(result);
    results.push_back(result);
  }
  builder.SetInsertionPointAfter(lowered);
  ir::Operation* last = lowered;
  for (const phi::selection::Transform& transform :
       asked.selection.output_transforms) {
    ir::Value& result = results[call.outputs[transform.slot].index()];
    SY_ASSIGN_OR_RETURN(result, transforms_.ReorderResult(builder, result));
    last = result.defining_op();
  }
  op->Erase();
  if (!fallback && !moved) return absl::OkStatus();
  builder.SetInsertionPointAfter(last);
  return transforms_.CopyResults(builder, results, home, moved);
}

}  // namespace switchyard::static_graph
