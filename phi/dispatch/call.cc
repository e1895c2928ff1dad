// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/call.h"

#include <string>

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "phi/dispatch/call_arguments.h"
#include "phi/dispatch/call_fallback.h"
#include "phi/dispatch/call_inputs.h"
#include "phi/dispatch/call_outputs.h"
#include "phi/dispatch/dispatch_cache.h"
#include "phi/dispatch/environment.h"
#include "phi/dispatch/selection_recorder.h"
#include "phi/selection/transcript.h"

namespace switchyard::phi::dispatch {
namespace {

// Stores the result, for calls that are like this one.
void Remember(const CallState& call, const DispatchCacheKey& key) {
  DispatchCacheEntry* const cached =
      DispatchCacheEntry::Insert(key, call.results.size());
  if (cached == nullptr) return;
  cached->kernel = call.selection.kernel;
  cached->run_place = call.run_place;
  cached->output_place = call.output_place;
  cached->idle = IsIdle(call);
  for (size_t slot = 0; slot < call.results.size(); ++slot) {
    const CallState::Output& result = call.results[slot];
    cached->outputs[slot] = {
        result.meta.shape,
        result.bytes,
        result.meta.dtype,
        result.own != nullptr,
        call.info.outputs[call.outputs.segments().argument_of(slot)].view_of >=
            0,
        result.meta.kind,
        result.meta.layout};
  }
  cached->transforms = call.selection.transforms;
  cached->output_transforms = call.selection.output_transforms;
}

// Like the first time, from where the transforms begin.
absl::Status ReplayTransformed(CallState& call,
                               const DispatchCacheEntry& cached) {
  call.selection.transforms = cached.transforms;
  call.selection.output_transforms = cached.output_transforms;
  call.results.Reset(call.outputs.size());
  for (size_t slot = 0; slot < call.outputs.size(); ++slot) {
    const DispatchCacheEntry::Output& output = cached.outputs[slot];
    CallState::Output& result = call.results[slot];
    result.meta.dtype = output.dtype;
    result.meta.kind = output.kind;
    result.meta.shape = output.shape;
    result.bytes = output.bytes;
    if (output.own) {
      result.own = static_cast<DenseTensor*>(call.outputs[slot]);
      continue;
    }
    const absl::Status status =
        MakeOutput(call, static_cast<int>(slot), output.kind);
    if (!status.ok()) return Annotate(status, call.info.name);
  }
  SY_RETURN_IF_ERROR(TransformInputs(call));
  return Annotate(AllocateOutputs(call), call.info.name);
}

// Applies a result that was stored.
absl::Status Replay(CallState& call, const DispatchCacheEntry& cached) {
  call.selection.kernel = cached.kernel;
  call.run_place = cached.run_place;
  call.output_place = cached.output_place;
  call.device = &cached.kernel->key.backend->contexts->current(call.run_place);
  const bool transformed =
      !cached.transforms.empty() || !cached.output_transforms.empty();
  if (ABSL_PREDICT_FALSE(transformed)) return ReplayTransformed(call, cached);
  call.idle = cached.idle;
  for (size_t slot = 0; slot < call.outputs.size(); ++slot) {
    const DispatchCacheEntry::Output& output = cached.outputs[slot];
    if (!output.own) {
      const absl::Status status =
          MakeOutput(call, static_cast<int>(slot), output.kind);
      if (!status.ok()) return Annotate(status, call.info.name);
      continue;
    }
    DenseTensor* const tensor = static_cast<DenseTensor*>(call.outputs[slot]);
    tensor->SetMeta(output.dtype, output.shape, call.output_place);
    if (ABSL_PREDICT_FALSE(!output.layout.strided())) {
      const absl::Status status = CheckLayout(call, output.layout);
      if (!status.ok()) return Annotate(status, call.info.name);
      tensor->SetLayout(output.layout);
    }
    if (output.view) continue;
    const absl::Status status = AllocateOutput(call, tensor, output.bytes);
    if (ABSL_PREDICT_FALSE(!status.ok()))
      return Annotate(status, call.info.name);
  }
  return absl::OkStatus();
}

absl::Status SelectKernel(CallState& call, const OpKernels& op_kernels,
                          const selection::Policy& policy) {
  SY_RETURN_IF_ERROR(
      selection::SelectInto(op_kernels, call.query, policy, &call.selection));
  if (ABSL_PREDICT_FALSE(call.selection.composed)) return absl::OkStatus();
  if (ABSL_PREDICT_FALSE(call.selection.kernel == nullptr)) {
    return absl::InternalError(absl::StrCat(call.info.name,
                                            ": shapes must be known, got ",
                                            selection::CallText(call.query)));
  }
  call.run_place = call.selection.fallback ? Place::Cpu() : call.query.place;
  call.output_place =
      call.selection.fallback
          ? call.run_place
          : selection::PlaceAttribute(call.attrs).value_or(call.run_place);
  call.device = &call.kernel().key.backend->contexts->current(call.run_place);
  return absl::OkStatus();
}

}  // namespace

absl::Status Call::Prepare(const OpKernels& op_kernels) {
  const Environment& environment = Environment::Current();
  const DispatchCacheKey key({&state_.info,
                              &op_kernels,
                              &environment,
                              {state_.inputs, state_.attrs, state_.outputs}});
  const bool recorded = environment.recorder != nullptr;
  if (const DispatchCacheEntry* cached =
          recorded ? nullptr : DispatchCacheEntry::Find(key)) {
    return Replay(state_, *cached);
  }
  absl::Status status = DescribeCall(state_, environment.default_place);
  if (!status.ok()) {
    state_.selection.composed =
        state_.query.composes &&
        (op_kernels.composite == nullptr || op_kernels.composed_alone());
    return state_.selection.composed ? absl::OkStatus()
                                     : Annotate(status, state_.info.name);
  }
  SY_RETURN_IF_ERROR(SelectKernel(state_, op_kernels, environment.policy));
  if (state_.selection.composed) return status;
  status = CheckOutputs(state_);
  if (!status.ok()) return Annotate(status, state_.info.name);
  const bool promoted = state_.promoted != DataType::kUndefined;
  if (!promoted && !state_.in_place && !state_.selection.fallback)
    Remember(state_, key);
  if (promoted || !state_.selection.transforms.empty() || state_.in_place) {
    SY_RETURN_IF_ERROR(TransformInputs(state_));
  }
  if (recorded) {
    environment.recorder->Record(
        selection::TranscriptLine(state_.query, state_.selection));
  }
  return Annotate(AllocateOutputs(state_), state_.info.name);
}

absl::Status Call::Launch() {
  if (state_.idle) {
    return state_.selection.fallback ? ReturnFromFallback(state_)
                                     : absl::OkStatus();
  }
  KernelContext context(
      *state_.device, {state_.inputs, state_.attrs, state_.outputs}, &kernel());
  absl::Status status = state_.kernel().thunk(context);
  if (ABSL_PREDICT_FALSE(!status.ok())) {
    RestoreWritten(state_);
    return Annotate(status, state_.info.name);
  }
  if (ABSL_PREDICT_FALSE(!state_.selection.output_transforms.empty())) {
    status = ReorderOutputs(state_);
    if (!status.ok()) return Annotate(status, state_.info.name);
  }
  if (ABSL_PREDICT_FALSE(state_.selection.fallback))
    return ReturnFromFallback(state_);
  return status;
}

}  // namespace switchyard::phi::dispatch
