// SPDX-License-Identifier: Apache-2.0
#include "eager/legacy/run_legacy_op.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "eager/autograd/grad_mode.h"
#include "eager/call/run.h"
#include "eager/legacy/attribute_from_tensor.h"
#include "eager/ops/every_operator.h"
#include "eager/tensor/values.h"
#include "framework/device/backend.h"
#include "framework/device/transfer.h"
#include "phi/core/kernel_tables.h"
#include "phi/core/op_table.h"
#include "phi/dispatch/environment.h"
#include "phi/legacy/forms/call_options.h"
#include "phi/legacy/forms/every_operator.h"
#include "phi/legacy/forms/legacy_call.h"
#include "phi/selection/operation_policy.h"

namespace switchyard::eager {
namespace {

const EagerOp* FindOperator(std::string_view name) {
  const absl::Span<const EagerOp* const> all = AllEagerOps();
  const auto found = std::lower_bound(
      all.begin(), all.end(), name,
      [](const EagerOp* op, std::string_view n) { return op->info->name < n; });
  if (found != all.end() && (*found)->info->name == name) return *found;
  const phi::AddedOp* const added = phi::OpTable::Current().Find(name);
  return added == nullptr ? nullptr : added->eager;
}

absl::StatusOr<std::vector<Attribute>> Attributes(
    const phi::LegacyForm& form, absl::Span<const SlotTensors> inputs,
    absl::Span<const int> suppliers,
    absl::Span<const phi::LegacyAttrValue> values) {
  SY_ASSIGN_OR_RETURN(std::vector<Attribute> attributes,
                      phi::MapAttributes(form, values, suppliers));
  for (size_t i = 0; i < suppliers.size(); ++i) {
    if (suppliers[i] < 0) continue;
    const SlotTensors& supplier = inputs[suppliers[i]];
    const AttrType type = form.op->attrs[i].type;
    const phi::LegacySlot* const slot = form.input(supplier.slot);
    if (slot != nullptr && slot->gives == static_cast<int>(i)) {
      TensorSpec spec;
      spec.dtype = supplier.tensors[0].dtype();
      spec.shape = supplier.tensors[0].shape();
      SY_ASSIGN_OR_RETURN(attributes[i],
                          phi::ReadGiven(form, slot->name, static_cast<int>(i),
                                         spec, attributes));
      continue;
    }
    SY_ASSIGN_OR_RETURN(
        attributes[i],
        AttributeFromTensor(supplier.slot, supplier.tensors, type));
  }
  return attributes;
}

// The operator's outputs under their legacy names.
std::vector<SlotTensors> BySlot(const phi::LegacyForm& form,
                                const phi::ArgBuffer<Tensor>& outputs) {
  std::vector<SlotTensors> slots;
  for (const phi::LegacySlot& slot : form.outputs) {
    if (slot.argument < 0) continue;
    SlotTensors named = {slot.name, {}, slot.duplicable};
    for (const Tensor& output : outputs.list(slot.argument)) {
      if (output.defined()) named.tensors.push_back(output);
    }
    if (!named.tensors.empty()) slots.push_back(std::move(named));
  }
  return slots;
}

// A call in our operator's terms; refers to the inputs of the legacy one.
struct MappedCall {
  phi::LegacyInputs inputs;
  std::vector<const Tensor*> tensors;
  std::vector<Attribute> attributes;
  std::vector<AttrRef> attrs;
  phi::ArgLayout outputs;
  phi::CallOptions options;
  // Tensors that the caller did not give: moved ones, the state of random
  // numbers. Never more than the reserved ones, since `tensors` points here.
  std::vector<Tensor> own;
};

// A seed may come in a tensor, which counts more than the attributes.
absl::Status ReadSeed(const phi::LegacyForm& form,
                      absl::Span<const SlotTensors> inputs, MappedCall* call) {
  const phi::LegacySlot* const slot = form.input("Seed");
  if (slot == nullptr || slot->argument >= 0 || slot->supplies >= 0) {
    return absl::OkStatus();
  }
  for (const SlotTensors& input : inputs) {
    if (input.slot != "Seed" || input.tensors.empty()) continue;
    SY_ASSIGN_OR_RETURN(
        const Attribute seed,
        AttributeFromTensor(input.slot, input.tensors, AttrType::kInt64));
    call->options.seed = seed.ref().Get<int64_t>();
    if (call->options.seed == 0) call->options.seed.reset();
  }
  return absl::OkStatus();
}

absl::StatusOr<MappedCall> MapCall(const phi::LegacyForm& form,
                                   absl::Span<const SlotTensors> inputs,
                                   absl::Span<const LegacyAttribute> attrs) {
  std::vector<phi::LegacyInput> given;
  for (const SlotTensors& input : inputs) {
    given.push_back({input.slot, input.tensors.size()});
  }
  MappedCall call;
  SY_ASSIGN_OR_RETURN(call.inputs, phi::MapInputs(form, given));
  for (const phi::LegacyTensor& tensor : call.inputs.tensors) {
    call.tensors.push_back(
        tensor.input < 0 ? nullptr
                         : &inputs[tensor.input].tensors[tensor.position]);
  }
  call.own.reserve(call.tensors.size());
  std::vector<phi::LegacyAttrValue> values;
  for (const LegacyAttribute& attr : attrs) {
    values.push_back({attr.name, attr.value.ref()});
  }
  SY_ASSIGN_OR_RETURN(call.attributes,
                      Attributes(form, inputs, call.inputs.suppliers, values));
  SY_ASSIGN_OR_RETURN(call.options, phi::ReadCallOptions(form, values));
  SY_RETURN_IF_ERROR(ReadSeed(form, inputs, &call));
  for (const Attribute& attribute : call.attributes) {
    call.attrs.push_back(attribute.ref());
  }
  SY_RETURN_IF_ERROR(phi::LayOutOutputs(
      *form.op, call.inputs.tensors.segments(), call.attrs, &call.outputs));
  return call;
}

// The place of the call's tensors, a device's if there is one; without tensors
// that of such calls.
Place PlaceOf(const MappedCall& call) {
  Place place = phi::dispatch::Environment::Current().default_place;
  bool found = false;
  for (const Tensor* tensor : call.tensors) {
    if (tensor == nullptr || !tensor->defined()) continue;
    if (found && tensor->place() == Place::Cpu()) continue;
    place = tensor->place();
    found = true;
  }
  return place;
}

// Returns true if the call computes a gradient or records one.
bool HasGradient(const phi::LegacyForm& form, const MappedCall& call) {
  if (*form.grad_type == '\0') return true;
  return CurrentGradMode() == GradMode::kOn &&
         std::any_of(call.tensors.begin(), call.tensors.end(),
                     [](const Tensor* tensor) {
                       return tensor != nullptr && tensor->defined() &&
                              tensor->requires_grad();
                     });
}

// Returns true if the operator writes its input number `argument`.
bool Writes(const phi::OpInfo& op, int argument) {
  return op.has(phi::Trait::kInplaceOnly) &&
         std::any_of(op.outputs.begin(), op.outputs.end(),
                     [&](const phi::OutputInfo& output) {
                       return output.inplace_of == argument;
                     });
}

// Puts copies on `place` for the tensors that lie elsewhere; recorded, so that
// gradients come back to where the tensors lie.
absl::Status MoveTensors(const phi::OpInfo& op,
                         absl::Span<const SlotTensors> inputs, Place place,
                         MappedCall* call) {
  const EagerOp* copy = FindOperator("copy");
  const AttrRef attrs[] = {place};
  for (const auto [argument, slot, tensor] : call->inputs.tensors.view()) {
    const Tensor*& given = call->tensors[slot];
    if (given == nullptr || !given->defined() || given->place() == place) {
      continue;
    }
    if (Writes(op, argument)) {
      return ArgumentError(
          inputs[tensor.input].slot,
          absl::StrCat("on ", ToString(place), ", where ",
                       call->options.asked_by,
                       " has the call run, since it is written"),
          ToString(given->place()));
    }
    Tensor moved;
    SY_RETURN_IF_ERROR(Run(*copy, {given}, attrs, absl::MakeSpan(&moved, 1)));
    call->own.push_back(std::move(moved));
    given = &call->own.back();
  }
  return absl::OkStatus();
}

// Gives a random operator the state of the seed that the call names.
void FixSeed(const phi::OpInfo& op, MappedCall* call) {
  const int rng = op.input_index("rng");
  if (rng < 0 || !call->options.seed.has_value()) return;
  const int64_t state[] = {*call->options.seed, 0};
  call->own.push_back(FromValues<int64_t>(absl::MakeConstSpan(state), {2}));
  call->tensors[call->inputs.tensors.segments().begin(rng)] = &call->own.back();
}

// Returns the policy of the call: the thread's, with what the call says of
// libraries.
phi::selection::Policy PolicyOf(const phi::CallOptions& options) {
  phi::selection::OperationPolicy call;
  const auto apply = [&](const std::optional<bool>& use, const char* library) {
    if (!use.has_value()) return;
    const BackendInfo* const backend =
        phi::KernelTables::Current().FindBackend(library);
    if (backend == nullptr) return;
    (*use ? call.requested : call.declined).Add(*backend);
  };
  apply(options.use_onednn, "onednn");
  apply(options.use_cudnn, "gpudnn");
  return Merged(phi::dispatch::Environment::Current().policy, call);
}

// An error of the operator, or of one that it is made of, as one of the type.
absl::Status Naming(std::string_view type, const absl::Status& status) {
  const std::string begin = absl::StrCat(std::string(type), ": ");
  if (status.ok() || absl::StartsWith(status.message(), begin)) return status;
  return Annotate(status, type);
}

}  // namespace

bool HasLegacyType(std::string_view type) {
  return phi::FindLegacyForm(type) != nullptr;
}

bool IsDifferentiableLegacyType(std::string_view type) {
  const phi::LegacyForm* form = phi::FindLegacyForm(type);
  const EagerOp* op = form == nullptr ? nullptr : FindOperator(form->op->name);
  return op != nullptr &&
         (op->backward != nullptr ||
          phi::KernelTables::Current().Find(op->info->name) == nullptr);
}

bool ReadsLegacyAttribute(std::string_view type, std::string_view attr) {
  const phi::LegacyForm* form = phi::FindLegacyForm(type);
  return form != nullptr && phi::ReadsAttribute(*form, attr);
}

absl::StatusOr<std::vector<SlotTensors>> RunLegacyOp(
    std::string_view type, absl::Span<const SlotTensors> inputs,
    absl::Span<const LegacyAttribute> attrs) {
  const phi::LegacyForm* form = phi::FindLegacyForm(type);
  const EagerOp* op = form == nullptr ? nullptr : FindOperator(form->op->name);
  if (op == nullptr) {
    return absl::NotFoundError(absl::StrCat(
        std::string(type), ": no operator has a legacy form of this type"));
  }
  absl::StatusOr<MappedCall> call = MapCall(*form, inputs, attrs);
  if (!call.ok()) return Annotate(call.status(), type);
  SY_RETURN_IF_ERROR(Annotate(
      phi::CheckSparse(call->options, HasGradient(*form, *call)), type));
  Place place = phi::dispatch::Environment::Current().default_place;
  if (!call->options.device.empty()) {
    // ReadCallOptions knows the text for a place.
    place = *ParsePlaceNear(call->options.device, PlaceOf(*call));
    const absl::Status there =
        Annotate(CheckPlace(place), call->options.asked_by);
    SY_RETURN_IF_ERROR(Annotate(there, type));
    SY_RETURN_IF_ERROR(
        Naming(type, MoveTensors(*op->info, inputs, place, &*call)));
  }
  FixSeed(*op->info, &*call);
  const phi::dispatch::DefaultPlaceScope scope(place);
  const phi::dispatch::PolicyScope policy(PolicyOf(call->options));
  phi::ArgBuffer<Tensor> outputs(std::move(call->outputs));
  SY_RETURN_IF_ERROR(
      Naming(type, Run(*op, {call->tensors, call->inputs.tensors.segments()},
                       call->attrs, outputs.mutable_view().elements())));
  return BySlot(*form, outputs);
}

}  // namespace switchyard::eager
