// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/call_outputs.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/types/spec_text.h"
#include "phi/core/inplace_target.h"
#include "phi/dispatch/call_fallback.h"
#include "phi/dispatch/call_inputs.h"
#include "phi/dispatch/transforms.h"

namespace switchyard::phi::dispatch {
namespace {

absl::Status CheckInPlace(const CallState& call, int slot,
                          const DenseTensor& tensor) {
  const OutputInfo& output =
      call.info.outputs[call.outputs.segments().argument_of(slot)];
  // In the user's words: what is written is an input.
  const char* name = output.inplace_of >= 0
                         ? call.info.inputs[output.inplace_of].name
                         : output.name;
  if (!tensor.contiguous()) {
    return ArgumentError(name, "contiguous to be written in place", "strided");
  }
  // A fallback writes a copy, whose elements are copied back.
  return CheckHolds(
      name, tensor.meta(), call.results[slot].meta,
      call.selection.fallback ? call.query.place : call.output_place);
}

bool IsReordered(const CallState& call, size_t slot) {
  if (call.idle) return false;
  for (const selection::Transform& transform :
       call.selection.output_transforms) {
    if (transform.slot == slot) return true;
  }
  return false;
}

absl::Status AllocateReordered(CallState& call) {
  CallState::Replacements& replacements = MutableReplacements(call);
  call.given_outputs = call.outputs.elements();
  replacements.outputs.assign(call.given_outputs.begin(),
                              call.given_outputs.end());
  for (const selection::Transform& transform :
       call.selection.output_transforms) {
    const CallState::Output& result = call.results[transform.slot];
    DenseTensor tensor;
    tensor.SetMeta(result.meta.dtype, result.meta.shape, call.output_place);
    tensor.SetLayout(transform.layout);
    SY_ASSIGN_OR_RETURN(const int64_t bytes,
                        CheckedByteSize(result.meta.dtype, result.meta.shape,
                                        transform.layout));
    SY_RETURN_IF_ERROR(AllocateOutput(call, &tensor, bytes));
    replacements.tensors.push_back(std::move(tensor));
    replacements.outputs[transform.slot] = &replacements.tensors.back();
  }
  call.outputs = {replacements.outputs, call.outputs.segments()};
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckOutputs(CallState& call) {
  if (call.selection.fallback) SY_RETURN_IF_ERROR(CheckFallback(call));
  const absl::Span<const ArgDef> defs = call.kernel().outputs;
  for (const auto [argument, slot, tensor] : call.outputs) {
    if (tensor == nullptr) continue;
    const OutputInfo& output = call.info.outputs[argument];
    // A legacy kernel need not describe every output.
    const ArgDef* const def =
        static_cast<size_t>(argument) < defs.size() ? &defs[argument] : nullptr;
    if (tensor->kind() != TensorKind::kDense ||
        (def != nullptr && def->self_allocated)) {
      continue;
    }
    CallState::Output& result = call.results[slot];
    result.own = static_cast<DenseTensor*>(tensor);
    const TensorSpec& meta = result.meta;
    if (!meta.shape.known() || meta.dtype == DataType::kUndefined) {
      return absl::InternalError(
          absl::StrCat(output.name, " must be inferred, got ",
                       SpecText(meta.dtype, meta.shape)));
    }
    const bool layout = def != nullptr && def->any_layout;
    if (!layout) result.meta.layout = LayoutDescriptor();
    SY_RETURN_IF_ERROR(CheckLayout(call, meta.layout));
    SY_ASSIGN_OR_RETURN(result.bytes,
                        CheckedByteSize(meta.dtype, meta.shape, meta.layout));
    if (result.own->allocated() && output.view_of < 0) {
      SY_RETURN_IF_ERROR(CheckInPlace(call, slot, *result.own));
      call.in_place = true;
    }
  }
  return absl::OkStatus();
}

absl::Status CheckLayout(const CallState& call, LayoutDescriptor layout) {
  if (layout.strided() || call.layouts_allowed) return absl::OkStatus();
  return ArgumentError("layout", "strided (selection alone asks for others)",
                       Name(layout));
}

bool IsIdle(const CallState& call) {
  if (call.outputs.size() == 0) return false;
  for (const auto [argument, slot, output] : call.outputs) {
    const CallState::Output& result = call.results[slot];
    if (result.own == nullptr) {
      if (output != nullptr) return false;
      continue;
    }
    if (call.info.outputs[argument].view_of >= 0 || result.bytes != 0)
      return false;
  }
  return true;
}

absl::Status AllocateOutputs(CallState& call) {
  call.idle = IsIdle(call);
  for (size_t slot = 0; slot < call.results.size(); ++slot) {
    const CallState::Output& result = call.results[slot];
    if (result.own == nullptr) continue;
    const int argument = call.outputs.segments().argument_of(slot);
    const bool view = call.info.outputs[argument].view_of >= 0;
    if (!view && result.own->allocated()) {  // Written in place.
      if (call.selection.fallback)
        SY_RETURN_IF_ERROR(WriteToCopy(call, result.own));
      continue;
    }
    result.own->SetMeta(result.meta.dtype, result.meta.shape,
                        call.output_place);
    result.own->SetLayout(result.meta.layout);
    if (view || IsReordered(call, slot)) continue;
    SY_RETURN_IF_ERROR(AllocateOutput(call, result.own, result.bytes));
  }
  if (call.idle || call.selection.output_transforms.empty())
    return absl::OkStatus();
  return AllocateReordered(call);
}

absl::Status ReorderOutputs(CallState& call) {
  for (const selection::Transform& transform :
       call.selection.output_transforms) {
    DenseTensor& given = *call.results[transform.slot].own;
    // A tensor that came with a buffer is written in place.
    DenseTensor strided = given.allocated() ? given : DenseTensor();
    SY_RETURN_IF_ERROR(TransformInto(Dense(call.outputs[transform.slot]),
                                     selection::BackToStrided(transform),
                                     &strided));
    if (!given.allocated()) given.SetBuffer(strided.buffer());
  }
  call.outputs = {call.given_outputs, call.outputs.segments()};
  return absl::OkStatus();
}

}  // namespace switchyard::phi::dispatch
