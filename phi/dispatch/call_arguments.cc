// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/call_arguments.h"

#include <string>

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "phi/dispatch/call_inputs.h"
#include "phi/promotion/op_promotion.h"

namespace switchyard::phi::dispatch {
namespace {

// Checks that the segments cover all `tensors`: they begin at 0 and give each
// argument that is no list one tensor.
template <typename Argument>
absl::Status CheckSegments(const ArgSegments& segments,
                           absl::Span<const Argument> arguments,
                           size_t tensors) {
  for (int i = 0; i < segments.arguments() && !segments.one_each(); ++i) {
    const int count = segments.size(i);
    if (count == 1 || (count >= 0 && arguments[i].list)) continue;
    return ArgumentError(arguments[i].name,
                         arguments[i].list ? "a list" : "one tensor",
                         absl::StrCat(count, " tensors"));
  }
  const int begin = segments.begin(0);
  if (begin == 0 && static_cast<size_t>(segments.size()) == tensors) {
    return absl::OkStatus();
  }
  return ArgumentError("tensors",
                       absl::StrCat(segments.size() - begin, " from slot 0 on"),
                       absl::StrCat(tensors, " from slot ", begin, " on"));
}

absl::Status CheckCounts(const CallState& call) {
  const bool fit =
      static_cast<size_t>(call.inputs.arguments()) == call.info.inputs.size() &&
      call.attrs.size() == call.info.attrs.size() &&
      static_cast<size_t>(call.outputs.arguments()) == call.info.outputs.size();
  if (ABSL_PREDICT_FALSE(!fit)) {
    return ArgumentError(
        "arguments",
        absl::StrCat(call.info.inputs.size(), " inputs, ",
                     call.info.attrs.size(), " attributes and ",
                     call.info.outputs.size(), " outputs"),
        absl::StrCat(call.inputs.arguments(), ", ", call.attrs.size(), " and ",
                     call.outputs.arguments()));
  }
  SY_RETURN_IF_ERROR(CheckSegments(call.inputs.segments(), call.info.inputs,
                                   call.inputs.size()));
  return CheckSegments(call.outputs.segments(), call.info.outputs,
                       call.outputs.size());
}

// An input that is absent or has no data where it must.
absl::Status CheckInput(const CallState& call, int argument, int slot) {
  const InputInfo& input = call.info.inputs[argument];
  if (call.inputs[slot] == nullptr) {
    if (input.optional) return absl::OkStatus();
    return ArgumentError(
        selection::SlotName(call.info, call.inputs.segments(), slot), "given",
        "none");
  }
  if (call.inputs[slot]->dtype() != DataType::kUndefined &&
      (call.inputs[slot]->allocated() || input.no_need_buffer)) {
    return absl::OkStatus();
  }
  return ArgumentError(
      selection::SlotName(call.info, call.inputs.segments(), slot),
      "a tensor with data", "one without");
}

absl::Status DescribeInputs(CallState& call) {
  call.input_metas.Reset(call.inputs.size());
  call.query_inputs.Reset(call.inputs.size());
  DataType first = DataType::kUndefined;
  for (const auto [argument, slot, input] : call.inputs) {
    const bool usual = input != nullptr && input->allocated() &&
                       input->dtype() != DataType::kUndefined;
    if (ABSL_PREDICT_FALSE(!usual)) {
      SY_RETURN_IF_ERROR(CheckInput(call, argument, slot));
      if (input == nullptr) continue;
    }
    const TensorMeta& meta = input->meta();
    call.input_metas[slot] = &meta;
    if (first == DataType::kUndefined) first = meta.dtype;
    call.mixed |= meta.dtype != first;
    call.query_inputs[slot] = &meta;
  }
  return absl::OkStatus();
}

absl::Status Promote(CallState& call) {
  SY_ASSIGN_OR_RETURN(call.promoted, promotion::PromotedDtype(
                                         call.info, {call.input_metas,
                                                     call.inputs.segments()}));
  if (call.promoted == DataType::kUndefined) return absl::OkStatus();
  for (const auto [argument, slot, input] : call.inputs) {
    if (input == nullptr || !promotion::IsPromoted(call.info, argument) ||
        input->dtype() == call.promoted) {
      continue;
    }
    if (input->kind() != TensorKind::kDense) {
      return TypeError(
          selection::SlotName(call.info, call.inputs.segments(), slot),
          Name(call.promoted), Name(input->kind()));
    }
    TensorMeta& meta = MutableInputMeta(call, slot);
    meta.dtype = call.promoted;
    meta.contiguous = true;  // As cast leaves it.
  }
  return absl::OkStatus();
}

absl::Status InferMeta(CallState& call) {
  call.results.Reset(call.outputs.size());
  call.output_metas.Reset(call.outputs.size());
  for (const auto [argument, slot, output] : call.outputs) {
    if (output != nullptr) {
      call.output_metas[slot] = &call.results[slot].meta;
    } else if (!call.info.outputs[argument].optional) {
      return ArgumentError(call.info.outputs[argument].name, "given", "none");
    }
  }
  return call.info.InferMeta({{call.input_metas, call.inputs.segments()},
                              call.attrs,
                              {call.output_metas, call.outputs.segments()}});
}

// Outputs are of the kinds that were inferred before a kernel is selected.
absl::Status MakeOutputs(CallState& call) {
  for (size_t slot = 0; slot < call.outputs.size(); ++slot) {
    const TensorBase* output = call.outputs[slot];
    const TensorKind kind = call.results[slot].meta.kind;
    if (output == nullptr || output->kind() == kind) continue;
    SY_RETURN_IF_ERROR(MakeOutput(call, static_cast<int>(slot), kind));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status DescribeCall(CallState& call, Place default_place) {
  SY_RETURN_IF_ERROR(CheckCounts(call));
  SY_RETURN_IF_ERROR(DescribeInputs(call));
  if (call.info.promotion.inputs != 0 &&
      (call.mixed || call.info.promotion.integer_to_float)) {
    SY_RETURN_IF_ERROR(Promote(call));
  }
  SY_RETURN_IF_ERROR(InferMeta(call));
  SY_RETURN_IF_ERROR(MakeOutputs(call));
  call.query.op = &call.info;
  call.query.inputs = {absl::Span<const TensorMeta* const>(
                           call.query_inputs.data(), call.query_inputs.size()),
                       call.inputs.segments()};
  call.query.outputs = {absl::Span<const TensorSpec* const>(
                            call.output_metas.data(), call.output_metas.size()),
                        call.outputs.segments()};
  call.query.attrs = call.attrs;
  SY_ASSIGN_OR_RETURN(
      call.query.dtype,
      selection::KeyDtype(call.info, call.query.inputs, call.attrs));
  SY_ASSIGN_OR_RETURN(call.query.place,
                      selection::CallPlace(call.info, call.query.inputs,
                                           call.attrs, default_place));
  return absl::OkStatus();
}

absl::Status MakeOutput(CallState& call, int slot, TensorKind kind) {
  if (call.outputs[slot] == nullptr || call.outputs[slot]->kind() == kind) {
    return absl::OkStatus();
  }
  // An output written in place exists already.
  if (call.maker != nullptr && !call.outputs[slot]->allocated()) {
    call.maker->Make(slot, kind);
    return absl::OkStatus();
  }
  const int argument = call.outputs.segments().argument_of(slot);
  return TypeError(call.info.outputs[argument].name, Name(kind),
                   Name(call.outputs[slot]->kind()));
}

}  // namespace switchyard::phi::dispatch
