// SPDX-License-Identifier: Apache-2.0
#include "static_graph/lowering/call_lowering.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "phi/selection/composes.h"
#include "static_graph/dialect/alias_analysis.h"
#include "static_graph/dialect/infer_types.h"
#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/checkpoint_attributes.h"
#include "static_graph/lowering/call_device.h"
#include "static_graph/lowering/operation_selection.h"

namespace switchyard::static_graph {
namespace {

using phi::selection::Query;
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

bool AsksForContiguity(const phi::KernelDef& kernel,
                       absl::Span<const bool> maybe_strided) {
  return std::any_of(kernel.conditions.begin(), kernel.conditions.end(),
                     [&](const phi::Condition& condition) {
                       return condition.kind ==
                                  phi::Condition::Kind::kContiguous &&
                              maybe_strided[condition.input];
                     });
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

}  // namespace

struct CallLowering::Asked {
  std::vector<TensorMeta> metas;
  std::vector<const TensorMeta*> inputs;  // In metas; null where absent.
  std::vector<TensorSpec> outputs;
  std::vector<const TensorSpec*> wanted;  // Null where not wanted.
  Query query;
  const phi::OpKernels* op_kernels = nullptr;
  Selection selection;
};

CallLowering::Facts CallLowering::GetFacts(ir::Value value) const {
  const auto found = facts_.find(value);
  if (found != facts_.end()) return found->second;
  // Arguments and constants: contiguous (Executable sees to it), where the
  // program is. So are results of what was lowered before, except views.
  return {options_->place, !IsView(value)};
}

absl::Status CallLowering::Ask(const OpCall& call, Asked* asked) const {
  for (ir::Value input : call.inputs) {
    TensorMeta& meta = asked->metas.emplace_back();
    if (!input) continue;
    const Facts facts = GetFacts(input);
    static_cast<TensorSpec&>(meta) = input.tensor_type().spec();
    meta.contiguous = facts.contiguous;
    meta.place = facts.place;
  }
  for (size_t slot = 0; slot < asked->metas.size(); ++slot) {
    asked->inputs.push_back(call.inputs[slot] ? &asked->metas[slot] : nullptr);
  }
  Query& query = asked->query;
  query.op = call.op->info;
  query.inputs = {asked->inputs, call.inputs.segments()};
  query.attrs = call.attrs;
  for (ir::Value output : call.outputs) {
    asked->outputs.push_back(output ? output.tensor_type().spec()
                                    : TensorSpec());
  }
  for (size_t slot = 0; slot < asked->outputs.size(); ++slot) {
    asked->wanted.push_back(call.outputs[slot] ? &asked->outputs[slot]
                                               : nullptr);
  }
  query.outputs = {asked->wanted, call.outputs.segments()};
  SY_ASSIGN_OR_RETURN(query.dtype, phi::selection::KeyDtype(
                                       *query.op, query.inputs, query.attrs));
  SY_ASSIGN_OR_RETURN(query.place,
                      phi::selection::CallPlace(*query.op, query.inputs,
                                                query.attrs, options_->place));
  return absl::OkStatus();
}

absl::Status CallLowering::Select(const OpCall& call,
                                  std::optional<Place> device,
                                  const phi::selection::Policy& policy,
                                  Asked* asked) const {
  const char* name = call.op->info->name;
  SY_RETURN_IF_ERROR(Annotate(Ask(call, asked), name));
  if (device.has_value()) asked->query.place = *device;
  asked->op_kernels = table_->Find(name);
  if (asked->op_kernels == nullptr) {
    return absl::NotFoundError(
        absl::StrCat(name, ": no kernel of it is linked"));
  }
  SY_ASSIGN_OR_RETURN(
      asked->selection,
      phi::selection::Select(*asked->op_kernels, asked->query, policy));
  KeepStrideDependent(policy, asked);
  return absl::OkStatus();
}

// A view may be contiguous after all, and then a kernel that asks for that may
// outrank the one chosen here: such candidates stay, to be asked again when the
// strides are known. Those of the place come before the host's, whichever wins.
void CallLowering::KeepStrideDependent(const phi::selection::Policy& policy,
                                       Asked* asked) const {
  const Query& query = asked->query;
  absl::InlinedVector<bool, 8> maybe_strided(query.op->inputs.size(), false);
  for (const auto [argument, slot, meta] : query.inputs) {
    if (meta != nullptr && !meta->contiguous) maybe_strided[argument] = true;
  }
  Selection& selection = asked->selection;
  const auto old = selection.residual;
  selection.residual.clear();
  // Returns whether the winner is one of these.
  const auto keep = [&](Place place, bool strided) {
    return phi::selection::VisitInOrder(
        asked->op_kernels->candidates(query.dtype), policy.prefer,
        [&](const phi::KernelDef& kernel) {
          if (!Serves(kernel, place)) return false;
          if (&kernel == selection.kernel) return true;
          if (std::find(old.begin(), old.end(), &kernel) != old.end() ||
              (strided && AsksForContiguity(kernel, maybe_strided))) {
            selection.residual.push_back(&kernel);
          }
          return false;
        });
  };
  if (keep(query.place, true) || query.place == Place::Cpu()) return;
  keep(Place::Cpu(), policy.allow_fallback);
}

ir::Operation* CallLowering::Create(ir::Builder& builder, const DialectOp& op,
                                    ir::OperationState state,
                                    const Asked& asked, bool transform) {
  const Selection& selection = asked.selection;
  state.definition =
      context_->FindOp(std::string(kKernelPrefix).append(op.info->name));
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
        builder.Named(kCandidatesAttr, context_->GetStrings(symbols)));
  }
  add(kKeyDtypeAttr, asked.query.dtype);
  add(kRunsOnAttr, selection.fallback ? Place::Cpu() : asked.query.place);
  if (selection.fallback) add(kFallbackAttr, asked.query.place);
  if (transform) add(kTransformAttr, true);
  return builder.Create(state);
}

absl::StatusOr<ir::Value> CallLowering::CreateTransform(
    ir::Builder& builder, const char* name, ir::Value value,
    absl::Span<const AttrRef> attrs, Place result_place) {
  OpCall call;
  call.op = FindOperator(*context_, name);
  if (call.op == nullptr) {
    return absl::NotFoundError(
        absl::StrCat(name, ": the operator is not registered"));
  }
  call.inputs.AddOne(value);
  call.attrs.assign(attrs.begin(), attrs.end());
  Asked asked;
  SY_RETURN_IF_ERROR(Annotate(Ask(call, &asked), name));
  asked.op_kernels = table_->Find(name);
  if (asked.op_kernels == nullptr) {
    return absl::NotFoundError(
        absl::StrCat(name, ": no kernel of it is linked"));
  }
  SY_ASSIGN_OR_RETURN(
      asked.selection,
      phi::selection::Select(*asked.op_kernels, asked.query,
                             options_->admitted().WithoutTransforms()));
  const ir::TensorType types[] = {value.tensor_type()};
  SY_ASSIGN_OR_RETURN(const std::vector<TensorSpec> metas,
                      InferMeta(*call.op->info, {types, attrs, {true}}));
  ir::OperationState state;
  state.operands = {value};
  state.results = {context_->GetTensorType(metas[0])};
  for (size_t i = 0; i < attrs.size(); ++i) {
    state.attributes.push_back(
        builder.Named(call.op->info->attrs[i].name, attrs[i]));
  }
  const ir::Operation* op =
      Create(builder, *call.op, std::move(state), asked, /*transform=*/true);
  facts_[op->result(0)] = {result_place, true};
  return op->result(0);
}

absl::StatusOr<ir::Value> CallLowering::Transform(
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
  return CreateTransform(builder, phi::selection::OperatorName(transform.kind),
                         value, attrs,
                         copy ? transform.place : GetFacts(value).place);
}

absl::StatusOr<ir::Value> CallLowering::Reorder(ir::Builder& builder,
                                                ir::Value value,
                                                LayoutDescriptor layout) {
  phi::selection::Transform reorder;
  reorder.kind = TransformKind::kReorder;
  reorder.layout = layout;
  return Transform(builder, value, reorder);
}

absl::StatusOr<ir::Value> CallLowering::ReorderResult(ir::Builder& builder,
                                                      ir::Value result) {
  SY_ASSIGN_OR_RETURN(const ir::Value strided,
                      Reorder(builder, result, LayoutDescriptor()));
  strided.defining_op()->SetAttribute(context_->GetString(kOfResultAttr),
                                      context_->GetAttribute(true));
  result.ReplaceAllUsesWith(strided);
  strided.defining_op()->SetOperand(0, result);
  return strided;
}

absl::StatusOr<Selection> CallLowering::SelectInLayout(
    const OpCall& call, LayoutDescriptor layout,
    const phi::selection::Policy& policy) const {
  Asked asked;
  SY_RETURN_IF_ERROR(Ask(call, &asked));
  for (TensorMeta& meta : asked.metas) {
    // An absent one has no dtype.
    if (meta.dtype == DataType::kUndefined || !Describes(layout, meta.shape)) {
      continue;
    }
    meta.layout = layout;
    meta.contiguous = true;
  }
  asked.op_kernels = table_->Find(call.op->info->name);
  if (asked.op_kernels == nullptr)
    return absl::NotFoundError(call.op->info->name);
  return phi::selection::Select(*asked.op_kernels, asked.query, policy);
}

absl::StatusOr<bool> CallLowering::Composes(
    const OpCall& call, const phi::OpKernels& op_kernels,
    const phi::selection::Policy& policy) const {
  Asked asked;
  SY_RETURN_IF_ERROR(Annotate(Ask(call, &asked), call.op->info->name));
  return phi::selection::Composes(op_kernels, asked.query, policy);
}

absl::StatusOr<bool> CallLowering::ComposesBeforeFallback(
    const OpCall& call, const phi::OpKernels& op_kernels,
    const phi::selection::Policy& policy) const {
  Asked asked;
  SY_RETURN_IF_ERROR(Annotate(Ask(call, &asked), call.op->info->name));
  return phi::selection::ComposesBeforeFallback(op_kernels, asked.query, policy,
                                                *table_);
}

// Puts transforms in front of the operands. Those of an undecided call are
// known with its kernel, but a fallback's copies are made for each that it may
// have.
absl::Status CallLowering::TransformInputs(ir::Builder& builder,
                                           const OpCall& call,
                                           const Selection& selection,
                                           std::vector<ir::Value>* operands) {
  const bool decided = selection.residual.empty();
  for (const phi::selection::Transform& transform : selection.transforms) {
    const bool moves =
        selection.fallback && transform.kind == TransformKind::kCopy;
    if (!decided && !moves) continue;
    ir::Value& operand = (*operands)[OperandOfSlot(call, transform.slot)];
    SY_ASSIGN_OR_RETURN(operand, Transform(builder, operand, transform));
  }
  return absl::OkStatus();
}

absl::Status CallLowering::LowerCall(ir::Operation* op) {
  SY_ASSIGN_OR_RETURN(OpCall call, ReadCall(*op));
  SY_ASSIGN_OR_RETURN(const std::optional<Place> device,
                      DeviceOf(*op, call, options_->place));
  ir::Builder builder(context_);
  builder.SetInsertionPoint(op);
  const bool moved = device.value_or(options_->place) != options_->place;
  if (moved) {
    SY_RETURN_IF_ERROR(CheckCopies(call, "op_device", options_->place));
    SY_RETURN_IF_ERROR(CopyInputs(builder, *device, &call));
  }
  SY_ASSIGN_OR_RETURN(const phi::selection::Policy policy, PolicyFor(*op));
  Asked asked;
  SY_RETURN_IF_ERROR(Select(call, device, policy, &asked));
  const Place home = moved ? options_->place : asked.query.place;
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
  SY_RETURN_IF_ERROR(
      TransformInputs(builder, call, asked.selection, &state.operands));
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
  ir::Operation* lowered = Create(builder, *call.op, std::move(state), asked,
                                  /*transform=*/false);
  const Place place = phi::selection::ResultPlace(
      asked.query.attrs, fallback ? Place::Cpu() : asked.query.place);
  std::vector<ir::Value> results;
  for (int i = 0; i < op->num_results(); ++i) {
    ir::Value result = lowered->result(i);
    result.SetHint(op->result(i).hint_attribute());
    facts_[result] = {place, !IsView(result)};
    op->result(i).ReplaceAllUsesWith(result);
    results.push_back(result);
  }
  builder.SetInsertionPointAfter(lowered);
  ir::Operation* last = lowered;
  for (const phi::selection::Transform& transform :
       asked.selection.output_transforms) {
    ir::Value& result = results[call.outputs[transform.slot].index()];
    SY_ASSIGN_OR_RETURN(result, ReorderResult(builder, result));
    last = result.defining_op();
  }
  op->Erase();
  if (!fallback && !moved) return absl::OkStatus();
  builder.SetInsertionPointAfter(last);
  return ReturnFromHost(builder, results, home, moved);
}

}  // namespace switchyard::static_graph
