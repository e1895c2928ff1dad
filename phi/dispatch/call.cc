// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/call.h"

#include <string>
#include <utility>

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "framework/device/transfer.h"
#include "framework/types/spec_text.h"
#include "phi/dispatch/selection_recorder.h"
#include "phi/promotion/op_promotion.h"
#include "phi/selection/transcript.h"

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

}  // namespace

absl::Status Call::Prepare(const OpKernels& op_kernels) {
  const Environment& environment = Environment::Current();
  const DispatchCacheKey key(
      {&info_, &op_kernels, &environment, {inputs_, attrs_, outputs_}});
  const bool recorded = environment.recorder != nullptr;
  if (const DispatchCacheEntry* cached =
          recorded ? nullptr : DispatchCacheEntry::Find(key)) {
    return Replay(*cached);
  }
  absl::Status status = CheckArguments(environment.default_place);
  if (!status.ok()) {
    selection_.composed = query_.composes && op_kernels.composed_alone();
    return composes() ? absl::OkStatus() : Annotate(status, info_.name);
  }
  SY_RETURN_IF_ERROR(SelectKernel(op_kernels, environment.policy));
  if (composes()) return status;
  status = CheckOutputs();
  if (!status.ok()) return Annotate(status, info_.name);
  const bool promoted = promoted_ != DataType::kUndefined;
  if (!promoted && !in_place_ && !selection_.fallback) Remember(key);
  if (promoted || !selection_.transforms.empty() || in_place_) {
    SY_RETURN_IF_ERROR(TransformInputs());
  }
  if (recorded) {
    environment.recorder->Record(selection::TranscriptLine(query_, selection_));
  }
  return Annotate(AllocateOutputs(), info_.name);
}

void Call::Remember(const DispatchCacheKey& key) const {
  DispatchCacheEntry* const cached =
      DispatchCacheEntry::Insert(key, results_.size());
  if (cached == nullptr) return;
  cached->kernel = selection_.kernel;
  cached->run_place = run_place_;
  cached->output_place = output_place_;
  cached->idle = IsIdle();
  for (size_t slot = 0; slot < results_.size(); ++slot) {
    const Output& result = results_[slot];
    cached->outputs[slot] = {
        result.meta.shape,
        result.bytes,
        result.meta.dtype,
        result.own != nullptr,
        info_.outputs[outputs_.segments().argument_of(slot)].view_of >= 0,
        result.meta.kind,
        result.meta.layout};
  }
  cached->transforms = selection_.transforms;
  cached->output_transforms = selection_.output_transforms;
}

absl::Status Call::Replay(const DispatchCacheEntry& cached) {
  selection_.kernel = cached.kernel;
  run_place_ = cached.run_place;
  output_place_ = cached.output_place;
  device_ = &cached.kernel->key.backend->contexts->current(run_place_);
  const bool transformed =
      !cached.transforms.empty() || !cached.output_transforms.empty();
  if (ABSL_PREDICT_FALSE(transformed)) return ReplayTransformed(cached);
  idle_ = cached.idle;
  for (size_t slot = 0; slot < outputs_.size(); ++slot) {
    const DispatchCacheEntry::Output& output = cached.outputs[slot];
    if (!output.own) {
      const absl::Status status =
          MakeOutput(static_cast<int>(slot), output.kind);
      if (!status.ok()) return Annotate(status, info_.name);
      continue;
    }
    DenseTensor* const tensor = static_cast<DenseTensor*>(outputs_[slot]);
    tensor->SetMeta(output.dtype, output.shape, output_place_);
    if (ABSL_PREDICT_FALSE(!output.layout.strided())) {
      const absl::Status status = CheckLayout(output.layout);
      if (!status.ok()) return Annotate(status, info_.name);
      tensor->SetLayout(output.layout);
    }
    if (output.view) continue;
    const absl::Status status = AllocateOutput(tensor, output.bytes);
    if (ABSL_PREDICT_FALSE(!status.ok())) return Annotate(status, info_.name);
  }
  return absl::OkStatus();
}

// Like the first time, from where the transforms begin.
absl::Status Call::ReplayTransformed(const DispatchCacheEntry& cached) {
  selection_.transforms = cached.transforms;
  selection_.output_transforms = cached.output_transforms;
  results_.Reset(outputs_.size());
  for (size_t slot = 0; slot < outputs_.size(); ++slot) {
    const DispatchCacheEntry::Output& output = cached.outputs[slot];
    Output& result = results_[slot];
    result.meta.dtype = output.dtype;
    result.meta.kind = output.kind;
    result.meta.shape = output.shape;
    result.bytes = output.bytes;
    if (output.own) {
      result.own = static_cast<DenseTensor*>(outputs_[slot]);
      continue;
    }
    const absl::Status status = MakeOutput(static_cast<int>(slot), output.kind);
    if (!status.ok()) return Annotate(status, info_.name);
  }
  SY_RETURN_IF_ERROR(TransformInputs());
  return Annotate(AllocateOutputs(), info_.name);
}

absl::Status Call::CheckArguments(Place default_place) {
  SY_RETURN_IF_ERROR(CheckCounts());
  SY_RETURN_IF_ERROR(DescribeInputs());
  if (info_.promotion.inputs != 0 &&
      (mixed_ || info_.promotion.integer_to_float)) {
    SY_RETURN_IF_ERROR(Promote());
  }
  SY_RETURN_IF_ERROR(InferMeta());
  SY_RETURN_IF_ERROR(MakeOutputs());
  query_.op = &info_;
  query_.inputs = {absl::Span<const TensorMeta* const>(query_inputs_.data(),
                                                       query_inputs_.size()),
                   inputs_.segments()};
  query_.outputs = {absl::Span<const TensorSpec* const>(output_metas_.data(),
                                                        output_metas_.size()),
                    outputs_.segments()};
  query_.attrs = attrs_;
  SY_ASSIGN_OR_RETURN(query_.dtype,
                      selection::KeyDtype(info_, query_.inputs, attrs_));
  SY_ASSIGN_OR_RETURN(
      query_.place,
      selection::CallPlace(info_, query_.inputs, attrs_, default_place));
  return absl::OkStatus();
}

absl::Status Call::CheckCounts() const {
  const bool fit =
      static_cast<size_t>(inputs_.arguments()) == info_.inputs.size() &&
      attrs_.size() == info_.attrs.size() &&
      static_cast<size_t>(outputs_.arguments()) == info_.outputs.size();
  if (ABSL_PREDICT_FALSE(!fit)) {
    return ArgumentError(
        "arguments",
        absl::StrCat(info_.inputs.size(), " inputs, ", info_.attrs.size(),
                     " attributes and ", info_.outputs.size(), " outputs"),
        absl::StrCat(inputs_.arguments(), ", ", attrs_.size(), " and ",
                     outputs_.arguments()));
  }
  SY_RETURN_IF_ERROR(
      CheckSegments(inputs_.segments(), info_.inputs, inputs_.size()));
  return CheckSegments(outputs_.segments(), info_.outputs, outputs_.size());
}

// An input that is absent or has no data where it must.
absl::Status Call::CheckInput(int argument, int slot) const {
  const InputInfo& input = info_.inputs[argument];
  if (inputs_[slot] == nullptr) {
    if (input.optional) return absl::OkStatus();
    return ArgumentError(selection::SlotName(info_, inputs_.segments(), slot),
                         "given", "none");
  }
  if (inputs_[slot]->dtype() != DataType::kUndefined &&
      (inputs_[slot]->allocated() || input.no_need_buffer)) {
    return absl::OkStatus();
  }
  return ArgumentError(selection::SlotName(info_, inputs_.segments(), slot),
                       "a tensor with data", "one without");
}

absl::Status Call::DescribeInputs() {
  input_metas_.Reset(inputs_.size());
  query_inputs_.Reset(inputs_.size());
  DataType first = DataType::kUndefined;
  for (const auto [argument, slot, input] : inputs_) {
    const bool usual = input != nullptr && input->allocated() &&
                       input->dtype() != DataType::kUndefined;
    if (ABSL_PREDICT_FALSE(!usual)) {
      SY_RETURN_IF_ERROR(CheckInput(argument, slot));
      if (input == nullptr) continue;
    }
    const TensorMeta& meta = input->meta();
    input_metas_[slot] = &meta;
    if (first == DataType::kUndefined) first = meta.dtype;
    mixed_ |= meta.dtype != first;
    query_inputs_[slot] = &meta;
  }
  return absl::OkStatus();
}

absl::Status Call::Promote() {
  SY_ASSIGN_OR_RETURN(
      promoted_,
      promotion::PromotedDtype(info_, {input_metas_, inputs_.segments()}));
  if (promoted_ == DataType::kUndefined) return absl::OkStatus();
  for (const auto [argument, slot, input] : inputs_) {
    if (input == nullptr || !promotion::IsPromoted(info_, argument) ||
        input->dtype() == promoted_) {
      continue;
    }
    if (input->kind() != TensorKind::kDense) {
      return TypeError(selection::SlotName(info_, inputs_.segments(), slot),
                       Name(promoted_), Name(input->kind()));
    }
    TensorMeta& meta = MutableInputMeta(slot);
    meta.dtype = promoted_;
    meta.contiguous = true;  // As cast leaves it.
  }
  return absl::OkStatus();
}

absl::Status Call::InferMeta() {
  results_.Reset(outputs_.size());
  output_metas_.Reset(outputs_.size());
  for (const auto [argument, slot, output] : outputs_) {
    if (output != nullptr) {
      output_metas_[slot] = &results_[slot].meta;
    } else if (!info_.outputs[argument].optional) {
      return ArgumentError(info_.outputs[argument].name, "given", "none");
    }
  }
  return info_.InferMeta({{input_metas_, inputs_.segments()},
                          attrs_,
                          {output_metas_, outputs_.segments()}});
}

// Outputs are of the kinds that were inferred before a kernel is selected.
absl::Status Call::MakeOutputs() {
  for (size_t slot = 0; slot < outputs_.size(); ++slot) {
    const TensorBase* output = outputs_[slot];
    const TensorKind kind = results_[slot].meta.kind;
    if (output == nullptr || output->kind() == kind) continue;
    SY_RETURN_IF_ERROR(MakeOutput(static_cast<int>(slot), kind));
  }
  return absl::OkStatus();
}

absl::Status Call::MakeOutput(int slot, TensorKind kind) {
  if (outputs_[slot] == nullptr || outputs_[slot]->kind() == kind) {
    return absl::OkStatus();
  }
  // An output written in place exists already.
  if (maker_ != nullptr && !outputs_[slot]->allocated()) {
    maker_->Make(slot, kind);
    return absl::OkStatus();
  }
  const int argument = outputs_.segments().argument_of(slot);
  return TypeError(info_.outputs[argument].name, Name(kind),
                   Name(outputs_[slot]->kind()));
}

absl::Status Call::SelectKernel(const OpKernels& op_kernels,
                                const selection::Policy& policy) {
  SY_RETURN_IF_ERROR(
      selection::SelectInto(op_kernels, query_, policy, &selection_));
  if (ABSL_PREDICT_FALSE(composes())) return absl::OkStatus();
  if (ABSL_PREDICT_FALSE(selection_.kernel == nullptr)) {
    return absl::InternalError(absl::StrCat(info_.name,
                                            ": shapes must be known, got ",
                                            selection::CallText(query_)));
  }
  run_place_ = selection_.fallback ? Place::Cpu() : query_.place;
  output_place_ = selection_.fallback
                      ? run_place_
                      : selection::PlaceAttribute(attrs_).value_or(run_place_);
  device_ = &kernel().key.backend->contexts->current(run_place_);
  return absl::OkStatus();
}

absl::Status Call::CheckOutputs() {
  if (selection_.fallback) SY_RETURN_IF_ERROR(CheckFallback());
  const absl::Span<const ArgDef> defs = kernel().outputs;
  for (const auto [argument, slot, tensor] : outputs_) {
    if (tensor == nullptr) continue;
    const OutputInfo& output = info_.outputs[argument];
    // A legacy kernel need not describe every output.
    const ArgDef* const def =
        static_cast<size_t>(argument) < defs.size() ? &defs[argument] : nullptr;
    if (tensor->kind() != TensorKind::kDense ||
        (def != nullptr && def->self_allocated)) {
      continue;
    }
    Output& result = results_[slot];
    result.own = static_cast<DenseTensor*>(tensor);
    const TensorSpec& meta = result.meta;
    if (!meta.shape.known() || meta.dtype == DataType::kUndefined) {
      return absl::InternalError(
          absl::StrCat(output.name, " must be inferred, got ",
                       SpecText(meta.dtype, meta.shape)));
    }
    const bool layout = def != nullptr && def->any_layout;
    if (!layout) result.meta.layout = LayoutDescriptor();
    SY_RETURN_IF_ERROR(CheckLayout(meta.layout));
    SY_ASSIGN_OR_RETURN(result.bytes,
                        CheckedByteSize(meta.dtype, meta.shape, meta.layout));
    if (result.own->allocated() && output.view_of < 0) {
      SY_RETURN_IF_ERROR(CheckInPlace(slot, *result.own));
      in_place_ = true;
    }
  }
  return absl::OkStatus();
}

absl::Status Call::AllocateOutput(DenseTensor* tensor, int64_t bytes) const {
  // A transform from a device to another place has its output there.
  Allocator& allocator = output_place_ == run_place_
                             ? device_->allocator()
                             : GetAllocator(output_place_);
  SY_ASSIGN_OR_RETURN(RefPtr<Buffer> buffer,
                      allocator.Allocate(static_cast<size_t>(bytes)));
  tensor->SetBuffer(std::move(buffer));
  return absl::OkStatus();
}

absl::Status Call::AllocateOutputs() {
  idle_ = IsIdle();
  for (size_t slot = 0; slot < results_.size(); ++slot) {
    const Output& result = results_[slot];
    if (result.own == nullptr) continue;
    const int argument = outputs_.segments().argument_of(slot);
    const bool view = info_.outputs[argument].view_of >= 0;
    if (!view && result.own->allocated()) {  // Written in place.
      if (selection_.fallback) SY_RETURN_IF_ERROR(WriteToCopy(result.own));
      continue;
    }
    result.own->SetMeta(result.meta.dtype, result.meta.shape, output_place_);
    result.own->SetLayout(result.meta.layout);
    if (view || IsReordered(slot)) continue;
    SY_RETURN_IF_ERROR(AllocateOutput(result.own, result.bytes));
  }
  if (idle_ || selection_.output_transforms.empty()) return absl::OkStatus();
  return AllocateReordered();
}

absl::Status Call::Launch() {
  if (idle_) {
    return selection_.fallback ? ReturnFromFallback() : absl::OkStatus();
  }
  KernelContext context(*device_, {inputs_, attrs_, outputs_}, &kernel());
  absl::Status status = kernel().thunk(context);
  if (ABSL_PREDICT_FALSE(!status.ok())) {
    RestoreWritten();
    return Annotate(status, info_.name);
  }
  if (ABSL_PREDICT_FALSE(!selection_.output_transforms.empty())) {
    status = ReorderOutputs();
    if (!status.ok()) return Annotate(status, info_.name);
  }
  if (ABSL_PREDICT_FALSE(selection_.fallback)) return ReturnFromFallback();
  return status;
}

}  // namespace switchyard::phi::dispatch
