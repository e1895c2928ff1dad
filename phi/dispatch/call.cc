// SPDX-License-Identifier: Apache-2.0
#include "phi/dispatch/call.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/memory/cpu_allocator.h"
#include "phi/dispatch/receipts.h"
#include "phi/dispatch/record_scope.h"
#include "phi/dispatch/transforms.h"
#include "phi/promotion/op_promotion.h"
#include "phi/selection/transcript.h"

namespace switchyard::phi::dispatch {
namespace {

const DenseTensor& Dense(const TensorBase* tensor) {
  return *static_cast<const DenseTensor*>(tensor);
}

bool SameGeometry(const DenseTensor& a, const DenseTensor& b) {
  if (a.offset() != b.offset() || a.shape() != b.shape()) return false;
  for (int i = 0; i < a.rank(); ++i) {
    if (a.extent(i) > 1 && a.strides()[i] != b.strides()[i]) return false;
  }
  return true;
}

// Whether writing `output` (contiguous) may change what is read from `input`
// other than element by element.
bool Overlaps(const DenseTensor& output, const DenseTensor& input) {
  if (output.buffer() != input.buffer() || SameGeometry(output, input)) {
    return false;
  }
  const bool apart = input.contiguous() &&
                     (input.offset() + input.numel() <= output.offset() ||
                      output.offset() + output.numel() <= input.offset());
  return !apart;
}

// Bytes of a tensor to be. The usual sizes are multiplied here; those that
// leave int64 on the way are judged by CheckedByteSize.
absl::StatusOr<int64_t> ByteSize(const MetaTensor& meta) {
  int64_t bytes = static_cast<int64_t>(SizeOf(meta.dtype));
  for (const Dim dim : meta.shape.dims()) {
    if (__builtin_mul_overflow(bytes, dim.value(), &bytes)) {
      return CheckedByteSize(meta.dtype, meta.shape);
    }
  }
  return bytes;
}

int64_t BytesOf(const DenseTensor& tensor) {
  return tensor.numel() * static_cast<int64_t>(SizeOf(tensor.dtype()));
}

}  // namespace

Call::Call(const OpInfo& info, absl::Span<const TensorBase* const> inputs,
           const Slots& input_slots, absl::Span<const AttrRef> attrs,
           absl::Span<TensorBase* const> outputs, const Slots& output_slots)
    : info_(info),
      input_slots_(input_slots),
      output_slots_(output_slots),
      attrs_(attrs),
      outputs_(outputs),
      inputs_(inputs.begin(), inputs.end()) {}

absl::Status Call::Prepare(const OpRow& row) {
  const Environment& environment = Environment::Current();
  absl::Status status = CheckArguments(environment.default_place);
  if (!status.ok()) return Annotate(status, info_.name);
  SY_RETURN_IF_ERROR(SelectKernel(row, environment.policy));
  status = CheckOutputs();
  if (!status.ok()) return Annotate(status, info_.name);
  SY_RETURN_IF_ERROR(TransformInputs());
  if (environment.recorder != nullptr) {
    environment.recorder->Record(
        selection::TranscriptLine(query(), selection_));
  }
  status = AllocateOutputs();
  if (!status.ok()) return Annotate(status, info_.name);
  return absl::OkStatus();
}

absl::Status Call::CheckArguments(Place default_place) {
  SY_RETURN_IF_ERROR(CheckCounts());
  SY_RETURN_IF_ERROR(DescribeInputs());
  SY_RETURN_IF_ERROR(Promote());
  SY_RETURN_IF_ERROR(InferMeta());
  SY_ASSIGN_OR_RETURN(key_dtype_,
                      selection::KeyDtype(info_, descs_, input_slots_, attrs_));
  SY_ASSIGN_OR_RETURN(place_, selection::CallPlace(info_, descs_, input_slots_,
                                                   attrs_, default_place));
  return absl::OkStatus();
}

absl::Status Call::CheckCounts() const {
  const bool fit =
      static_cast<size_t>(input_slots_.arguments()) == info_.inputs.size() &&
      static_cast<size_t>(input_slots_.size()) == inputs_.size() &&
      attrs_.size() == info_.attrs.size() &&
      static_cast<size_t>(output_slots_.arguments()) == info_.outputs.size() &&
      static_cast<size_t>(output_slots_.size()) == outputs_.size();
  if (__builtin_expect(fit, 1)) return absl::OkStatus();
  return ArgumentError(
      "arguments",
      absl::StrCat(info_.inputs.size(), " inputs, ", info_.attrs.size(),
                   " attributes and ", info_.outputs.size(), " outputs"),
      absl::StrCat(input_slots_.arguments(), ", ", attrs_.size(), " and ",
                   output_slots_.arguments()));
}

absl::Status Call::DescribeInputs() {
  // Descriptions point into the metadata: no reallocation after this.
  const size_t count = inputs_.size();
  input_metas_.reserve(count);
  input_meta_pointers_.reserve(count);
  descs_.reserve(count);
  for (int argument = 0; argument < input_slots_.arguments(); ++argument) {
    const InputInfo& input = info_.inputs[argument];
    const int end = input_slots_.end(argument);
    for (int slot = input_slots_.begin(argument); slot < end; ++slot) {
      if (inputs_[slot] == nullptr) {
        if (!input.optional) {
          return ArgumentError(selection::SlotName(info_, input_slots_, slot),
                               "given", "none");
        }
        input_metas_.emplace_back();
        input_meta_pointers_.push_back(nullptr);
        descs_.emplace_back();
        continue;
      }
      const bool rows = inputs_[slot]->kind() == TensorKind::kSelectedRows;
      const DenseTensor& tensor =
          rows ? static_cast<const SelectedRows*>(inputs_[slot])->values()
               : Dense(inputs_[slot]);
      if (tensor.dtype() == DataType::kUndefined ||
          (!tensor.allocated() && !input.no_need_buffer)) {
        return ArgumentError(selection::SlotName(info_, input_slots_, slot),
                             "a tensor with data", "one without");
      }
      input_metas_.emplace_back();
      MetaTensor& meta = input_metas_.back();
      meta.dtype = tensor.dtype();
      meta.layout = tensor.layout();
      meta.kind = inputs_[slot]->kind();
      if (tensor.lod() != nullptr) {
        meta.lod_levels = static_cast<uint8_t>(tensor.lod()->offsets.size());
      }
      meta.shape = tensor.shape();
      if (rows && meta.shape.rank() > 0) {
        // To the operator it is the tall matrix that it stands for.
        meta.shape[0] =
            static_cast<const SelectedRows*>(inputs_[slot])->height();
      }
      input_meta_pointers_.push_back(&meta);
      mixed_ |= meta.dtype != input_metas_.front().dtype;
      descs_.push_back({&meta.shape, meta.dtype, meta.layout, meta.kind,
                        tensor.contiguous(), tensor.place()});
    }
  }
  return absl::OkStatus();
}

absl::Status Call::Promote() {
  if (info_.promotion.inputs == 0 ||
      (!mixed_ && !info_.promotion.integer_to_float)) {
    return absl::OkStatus();
  }
  SY_ASSIGN_OR_RETURN(
      promoted_,
      promotion::PromotedDtype(info_, input_meta_pointers_, input_slots_));
  if (promoted_ == DataType::kUndefined) return absl::OkStatus();
  for (int slot = 0; slot < input_slots_.size(); ++slot) {
    if (!promotion::IsPromoted(info_, input_slots_.argument_of(slot)) ||
        inputs_[slot] == nullptr || descs_[slot].dtype == promoted_) {
      continue;
    }
    if (descs_[slot].kind != TensorKind::kDense) {
      return TypeError(selection::SlotName(info_, input_slots_, slot),
                       Name(promoted_), Name(descs_[slot].kind));
    }
    input_metas_[slot].dtype = promoted_;
    descs_[slot].dtype = promoted_;
    descs_[slot].contiguous = true;  // As cast leaves it.
  }
  return absl::OkStatus();
}

absl::Status Call::InferMeta() {
  const size_t count = outputs_.size();
  output_metas_.resize(count);
  Inline<MetaTensor*> pointers(count);
  for (int argument = 0; argument < output_slots_.arguments(); ++argument) {
    const int end = output_slots_.end(argument);
    for (int slot = output_slots_.begin(argument); slot < end; ++slot) {
      if (outputs_[slot] != nullptr) {
        pointers[slot] = &output_metas_[slot];
      } else if (!info_.outputs[argument].optional) {
        return ArgumentError(info_.outputs[argument].name, "given", "none");
      }
    }
  }
  InferMetaContext context(input_meta_pointers_, input_slots_, attrs_, pointers,
                           output_slots_);
  return info_.infer_meta(context);
}

absl::Status Call::SelectKernel(const OpRow& row,
                                const selection::Policy& policy) {
  SY_RETURN_IF_ERROR(selection::SelectInto(row, query(), policy, &selection_));
  if (selection_.kernel == nullptr) {
    return absl::InternalError(absl::StrCat(info_.name,
                                            ": shapes must be known, got ",
                                            selection::CallText(query())));
  }
  run_place_ = selection_.fallback ? Place::Cpu() : place_;
  output_place_ = selection_.fallback
                      ? run_place_
                      : selection::PlaceAttribute(attrs_).value_or(run_place_);
  device_ = &kernel().contexts->current(run_place_);
  return absl::OkStatus();
}

DenseTensor* Call::OwnOutput(int slot) const {
  TensorBase* const tensor = outputs_[slot];
  if (tensor == nullptr || tensor->kind() != TensorKind::kDense) return nullptr;
  const size_t argument = static_cast<size_t>(output_slots_.argument_of(slot));
  const auto& defs = kernel().outputs;
  if (argument < defs.size() && defs[argument].self_allocated) return nullptr;
  return static_cast<DenseTensor*>(tensor);
}

absl::Status Call::CheckOutputs() {
  output_bytes_.resize(outputs_.size());
  for (int slot = 0; slot < output_slots_.size(); ++slot) {
    if (outputs_[slot] == nullptr) continue;
    const size_t argument =
        static_cast<size_t>(output_slots_.argument_of(slot));
    const OutputInfo& output = info_.outputs[argument];
    if (argument < kernel().outputs.size() &&
        kernel().outputs[argument].kind != outputs_[slot]->kind()) {
      return TypeError(output.name, Name(kernel().outputs[argument].kind),
                       Name(outputs_[slot]->kind()));
    }
    const DenseTensor* tensor = OwnOutput(slot);
    if (tensor == nullptr) continue;
    const MetaTensor& meta = output_metas_[slot];
    if (!meta.shape.known() || meta.dtype == DataType::kUndefined) {
      return absl::InternalError(
          absl::StrCat(output.name, " must be inferred, got ",
                       std::string(Name(meta.dtype)), ToString(meta.shape)));
    }
    SY_ASSIGN_OR_RETURN(output_bytes_[slot], ByteSize(meta));
    if (tensor->allocated() && output.view_of < 0) {
      SY_RETURN_IF_ERROR(CheckInPlace(slot, *tensor));
      in_place_ = true;
    }
  }
  return absl::OkStatus();
}

absl::Status Call::CheckInPlace(int slot, const DenseTensor& tensor) const {
  const OutputInfo& output = info_.outputs[output_slots_.argument_of(slot)];
  // In the user's words: what is written is an input.
  const char* name = output.inplace_of >= 0
                         ? info_.inputs[output.inplace_of].name
                         : output.name;
  const MetaTensor& meta = output_metas_[slot];
  if (tensor.dtype() != meta.dtype) {
    return TypeError(
        name,
        absl::StrCat(std::string(Name(meta.dtype)), " to be written in place"),
        Name(tensor.dtype()));
  }
  if (tensor.shape() != meta.shape) {
    return ArgumentError(
        name, absl::StrCat(ToString(meta.shape), " to be written in place"),
        ToString(tensor.shape()));
  }
  if (!tensor.contiguous()) {
    return ArgumentError(name, "contiguous to be written in place", "strided");
  }
  if (selection_.fallback || tensor.place() != output_place_) {
    return ArgumentError(
        name,
        absl::StrCat("on ", ToString(output_place_), " to be written in place"),
        ToString(tensor.place()));
  }
  return absl::OkStatus();
}

void Call::ReplaceInput(int slot, DenseTensor tensor) {
  tensor.SetLod(Dense(inputs_[slot]).lod());  // Rows stay rows.
  owned_.push_back(std::make_unique<DenseTensor>(std::move(tensor)));
  inputs_[slot] = owned_.back().get();
}

absl::Status Call::TransformInputs() {
  if (promoted_ != DataType::kUndefined) {
    for (int slot = 0; slot < input_slots_.size(); ++slot) {
      if (inputs_[slot] == nullptr ||
          inputs_[slot]->kind() != TensorKind::kDense ||
          Dense(inputs_[slot]).dtype() == input_metas_[slot].dtype) {
        continue;
      }
      SY_ASSIGN_OR_RETURN(DenseTensor cast,
                          Promoted(Dense(inputs_[slot]), promoted_));
      ReplaceInput(slot, std::move(cast));
    }
  }
  for (const selection::Transform& transform : selection_.transforms) {
    const TensorBase* tensor = inputs_[transform.slot];
    if (tensor->kind() != TensorKind::kDense) {
      return absl::UnimplementedError(
          absl::StrCat(info_.name, ": ",
                       selection::SlotName(info_, input_slots_, transform.slot),
                       " must be dense for a transform, got ",
                       std::string(Name(tensor->kind()))));
    }
    SY_ASSIGN_OR_RETURN(DenseTensor transformed,
                        Transformed(Dense(tensor), transform));
    ReplaceInput(transform.slot, std::move(transformed));
  }
  return in_place_ ? SeparateOverlaps() : absl::OkStatus();
}

// An input that shares the buffer of an output, but not its geometry, would
// change while it is read (x += x.T): it is read from a copy instead.
absl::Status Call::SeparateOverlaps() {
  for (int out = 0; out < output_slots_.size(); ++out) {
    const DenseTensor* output = OwnOutput(out);
    if (output == nullptr || !output->allocated()) continue;
    for (int slot = 0; slot < input_slots_.size(); ++slot) {
      const TensorBase* input = inputs_[slot];
      if (input == nullptr || input->kind() != TensorKind::kDense ||
          !Overlaps(*output, Dense(input))) {
        continue;
      }
      SY_ASSIGN_OR_RETURN(DenseTensor copy,
                          Copied(Dense(input), Dense(input).place()));
      ReplaceInput(slot, std::move(copy));
    }
  }
  return absl::OkStatus();
}

absl::Status Call::AllocateOutputs() {
  // A transform from a device to the host has its output there.
  Allocator& allocator =
      output_place_ == Place::Cpu() && run_place_ != Place::Cpu()
          ? CpuAllocator()
          : device_->allocator();
  bool idle = !outputs_.empty() && !info_.has(Trait::kSideEffect);
  for (int slot = 0; slot < output_slots_.size(); ++slot) {
    DenseTensor* const tensor = OwnOutput(slot);
    if (tensor == nullptr) {
      idle &= outputs_[slot] == nullptr;
      continue;
    }
    const bool view =
        info_.outputs[output_slots_.argument_of(slot)].view_of >= 0;
    idle &= !view && output_bytes_[slot] == 0;
    if (!view && tensor->allocated()) continue;  // Written in place.
    const MetaTensor& meta = output_metas_[slot];
    tensor->SetMeta(meta.dtype, meta.shape, output_place_);
    if (view) continue;
    SY_ASSIGN_OR_RETURN(
        RefPtr<Buffer> buffer,
        allocator.Allocate(static_cast<size_t>(output_bytes_[slot])));
    tensor->SetBuffer(std::move(buffer));
  }
  idle_ = idle;
  return absl::OkStatus();
}

absl::Status Call::Launch() {
  if (idle_) return absl::OkStatus();
  KernelContext context(device_, inputs_, input_slots_, attrs_, outputs_,
                        output_slots_);
  const absl::Status status = kernel().thunk(context);
  if (__builtin_expect(!status.ok(), 0)) return Annotate(status, info_.name);
  return selection_.fallback ? ReturnFromFallback() : absl::OkStatus();
}

absl::Status Call::ReturnFromFallback() {
  int64_t bytes = 0;
  for (const selection::Transform& transform : selection_.transforms) {
    if (transform.kind != selection::Transform::Kind::kCopy) continue;
    bytes += BytesOf(Dense(inputs_[transform.slot]));
  }
  for (TensorBase* output : outputs_) {
    if (output == nullptr || output->kind() != TensorKind::kDense) continue;
    DenseTensor* tensor = static_cast<DenseTensor*>(output);
    bytes += BytesOf(*tensor);
    SY_ASSIGN_OR_RETURN(*tensor, Copied(*tensor, place_));
  }
  LeaveReceipt(info_.name, place_, run_place_, bytes);
  return absl::OkStatus();
}

}  // namespace switchyard::phi::dispatch
