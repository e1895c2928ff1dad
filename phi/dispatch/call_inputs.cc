// SPDX-License-Identifier: Apache-2.0
// The parts of a call that few need: inputs that are promoted, transformed or
// read from a copy, outputs that are written in place, and the way back from a
// fallback.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/device/transfer.h"
#include "phi/core/inplace_target.h"
#include "phi/dispatch/call.h"
#include "phi/dispatch/transforms.h"
#include "phi/selection/fallback_log.h"

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

const SelectedRows& Rows(const TensorBase* tensor) {
  return *static_cast<const SelectedRows*>(tensor);
}

int64_t ByteSize(const DenseTensor& tensor) {
  return tensor.numel() * static_cast<int64_t>(ElementSize(tensor.dtype()));
}

// Returns the bytes of the elements that a copy moves.
int64_t ByteSize(const TensorBase* tensor) {
  return ByteSize(tensor->kind() == TensorKind::kSelectedRows
                      ? Rows(tensor).values()
                      : Dense(tensor));
}

// x with other values: rows are numbers of the host.
SelectedRows WithValues(const SelectedRows& x, DenseTensor values) {
  return SelectedRows(x.height(), x.rows(), std::move(values));
}

// A copy of a tensor that CheckFallback() let through.
absl::Status CopyTo(Place place, TensorBase* tensor) {
  if (tensor->kind() == TensorKind::kSelectedRows) {
    auto& rows = *static_cast<SelectedRows*>(tensor);
    SY_ASSIGN_OR_RETURN(DenseTensor values, Copied(rows.values(), place));
    rows = WithValues(rows, std::move(values));
    return absl::OkStatus();
  }
  auto& dense = *static_cast<DenseTensor*>(tensor);
  SY_ASSIGN_OR_RETURN(dense, Copied(dense, place));
  return absl::OkStatus();
}

}  // namespace

Call::Replacements& Call::MutableReplacements() {
  if (replacements_ == nullptr) {
    replacements_ = std::make_unique<Replacements>();
    const absl::Span<const TensorBase* const> given = inputs_.elements();
    replacements_->inputs.assign(given.begin(), given.end());
    inputs_ = {replacements_->inputs, inputs_.segments()};
  }
  return *replacements_;
}

TensorMeta& Call::MutableInputMeta(int slot) {
  std::deque<TensorMeta>& metas = MutableReplacements().metas;
  metas.push_back(*query_inputs_[slot]);
  query_inputs_[slot] = &metas.back();
  input_metas_[slot] = &metas.back();
  return metas.back();
}

void Call::ReplaceInput(int slot, DenseTensor tensor) {
  tensor.SetLod(Dense(inputs_[slot]).lod());  // Rows stay rows.
  Replacements& replacements = MutableReplacements();
  replacements.tensors.push_back(std::move(tensor));
  replacements.inputs[slot] = &replacements.tensors.back();
}

absl::Status Call::CheckInPlace(int slot, const DenseTensor& tensor) const {
  const OutputInfo& output =
      info_.outputs[outputs_.segments().argument_of(slot)];
  // In the user's words: what is written is an input.
  const char* name = output.inplace_of >= 0
                         ? info_.inputs[output.inplace_of].name
                         : output.name;
  if (!tensor.contiguous()) {
    return ArgumentError(name, "contiguous to be written in place", "strided");
  }
  // A fallback writes a copy, whose elements are copied back.
  return CheckHolds(name, tensor.meta(), results_[slot].meta,
                    selection_.fallback ? query_.place : output_place_);
}

absl::Status Call::CheckFallback() const {
  const auto check = [&](const std::string& name, const TensorBase& tensor,
                         bool written) {
    if (tensor.kind() == TensorKind::kDense ||
        (tensor.kind() == TensorKind::kSelectedRows && !written)) {
      return absl::OkStatus();
    }
    return absl::UnimplementedError(absl::StrCat(
        name, " must be dense", written ? "" : " or SelectedRows",
        " for a fallback from ", ToString(query_.place), " to ",
        ToString(run_place_), written ? " that writes it in place" : "",
        ", got ", std::string(Name(tensor.kind()))));
  };
  for (const selection::Transform& transform : selection_.transforms) {
    SY_RETURN_IF_ERROR(
        check(selection::SlotName(info_, inputs_.segments(), transform.slot),
              *inputs_[transform.slot], false));
  }
  for (const auto [argument, slot, output] : outputs_) {
    if (output == nullptr) continue;
    SY_RETURN_IF_ERROR(
        check(info_.outputs[argument].name, *output, output->allocated()));
  }
  return absl::OkStatus();
}

absl::Status Call::WriteToCopy(DenseTensor* output) {
  SY_ASSIGN_OR_RETURN(DenseTensor copy, Copied(*output, run_place_));
  MutableReplacements().written.emplace_back(output, *output);
  *output = std::move(copy);
  return absl::OkStatus();
}

void Call::RestoreWritten() {
  if (replacements_ == nullptr) return;
  for (const auto& [output, given] : replacements_->written) *output = given;
  replacements_->written.clear();
}

absl::Status Call::TransformInputs() {
  if (promoted_ != DataType::kUndefined) {
    for (size_t slot = 0; slot < inputs_.size(); ++slot) {
      if (inputs_[slot] == nullptr ||
          inputs_[slot]->kind() != TensorKind::kDense ||
          Dense(inputs_[slot]).dtype() == input_metas_[slot]->dtype) {
        continue;
      }
      SY_ASSIGN_OR_RETURN(DenseTensor cast,
                          Promoted(Dense(inputs_[slot]), promoted_));
      ReplaceInput(slot, std::move(cast));
    }
  }
  for (const selection::Transform& transform : selection_.transforms) {
    SY_RETURN_IF_ERROR(TransformInput(transform));
  }
  return in_place_ ? SeparateOverlaps() : absl::OkStatus();
}

absl::Status Call::TransformInput(const selection::Transform& transform) {
  const TensorBase* const tensor = inputs_[transform.slot];
  if (tensor->kind() == TensorKind::kSelectedRows) {
    SY_ASSIGN_OR_RETURN(DenseTensor values,
                        Transformed(Rows(tensor).values(), transform));
    Replacements& replacements = MutableReplacements();
    replacements.rows.push_back(WithValues(Rows(tensor), std::move(values)));
    replacements.inputs[transform.slot] = &replacements.rows.back();
    return absl::OkStatus();
  }
  if (tensor->kind() != TensorKind::kDense) {
    return absl::UnimplementedError(absl::StrCat(
        info_.name, ": ",
        selection::SlotName(info_, inputs_.segments(), transform.slot),
        " must be dense or SelectedRows for a transform, got ",
        std::string(Name(tensor->kind()))));
  }
  SY_ASSIGN_OR_RETURN(DenseTensor transformed,
                      Transformed(Dense(tensor), transform));
  ReplaceInput(transform.slot, std::move(transformed));
  return absl::OkStatus();
}

// An input that shares the buffer of an output, but not its geometry, would
// change while it is read (x += x.T): it is read from a copy instead.
absl::Status Call::SeparateOverlaps() {
  for (const Output& result : results_) {
    if (result.own == nullptr || !result.own->allocated()) continue;
    for (size_t slot = 0; slot < inputs_.size(); ++slot) {
      const TensorBase* input = inputs_[slot];
      if (input == nullptr || input->kind() != TensorKind::kDense ||
          !Overlaps(*result.own, Dense(input))) {
        continue;
      }
      SY_ASSIGN_OR_RETURN(DenseTensor copy,
                          Copied(Dense(input), Dense(input).place()));
      ReplaceInput(slot, std::move(copy));
    }
  }
  return absl::OkStatus();
}

bool Call::IsReordered(size_t slot) const {
  if (idle_) return false;
  for (const selection::Transform& transform : selection_.output_transforms) {
    if (transform.slot == slot) return true;
  }
  return false;
}

absl::Status Call::CheckLayout(LayoutDescriptor layout) const {
  if (layout.strided() || layouts_allowed_) return absl::OkStatus();
  return ArgumentError("layout", "strided (selection alone asks for others)",
                       Name(layout));
}

absl::Status Call::AllocateReordered() {
  Replacements& replacements = MutableReplacements();
  given_outputs_ = outputs_.elements();
  replacements.outputs.assign(given_outputs_.begin(), given_outputs_.end());
  for (const selection::Transform& transform : selection_.output_transforms) {
    const Output& result = results_[transform.slot];
    DenseTensor tensor;
    tensor.SetMeta(result.meta.dtype, result.meta.shape, output_place_);
    tensor.SetLayout(transform.layout);
    SY_ASSIGN_OR_RETURN(const int64_t bytes,
                        CheckedByteSize(result.meta.dtype, result.meta.shape,
                                        transform.layout));
    SY_RETURN_IF_ERROR(AllocateOutput(&tensor, bytes));
    replacements.tensors.push_back(std::move(tensor));
    replacements.outputs[transform.slot] = &replacements.tensors.back();
  }
  outputs_ = {replacements.outputs, outputs_.segments()};
  return absl::OkStatus();
}

absl::Status Call::ReorderOutputs() {
  for (const selection::Transform& transform : selection_.output_transforms) {
    DenseTensor& given = *results_[transform.slot].own;
    // A tensor that came with a buffer is written in place.
    DenseTensor strided = given.allocated() ? given : DenseTensor();
    SY_RETURN_IF_ERROR(TransformInto(Dense(outputs_[transform.slot]),
                                     selection::BackToStrided(transform),
                                     &strided));
    if (!given.allocated()) given.SetBuffer(strided.buffer());
  }
  outputs_ = {given_outputs_, outputs_.segments()};
  return absl::OkStatus();
}

// Whether there is nothing to launch for: the outputs have no elements.
bool Call::IsIdle() const {
  if (outputs_.size() == 0) return false;
  for (const auto [argument, slot, output] : outputs_) {
    const Output& result = results_[slot];
    if (result.own == nullptr) {
      if (output != nullptr) return false;
      continue;
    }
    if (info_.outputs[argument].view_of >= 0 || result.bytes != 0) return false;
  }
  return true;
}

absl::Status Call::ReturnFromFallback() {
  int64_t bytes = 0;
  for (const selection::Transform& transform : selection_.transforms) {
    if (transform.kind != selection::Transform::Kind::kCopy) continue;
    bytes += ByteSize(inputs_[transform.slot]);
  }
  if (replacements_ != nullptr) {
    for (auto& [output, given] : replacements_->written) {
      SY_RETURN_IF_ERROR(CopyBytes(BytesOf(*output), BytesOf(given),
                                   static_cast<size_t>(ByteSize(given))));
      bytes += ByteSize(given);
    }
  }
  RestoreWritten();
  for (TensorBase* output : outputs_.elements()) {
    if (output == nullptr || output->place() != run_place_ ||
        output->dtype() == DataType::kUndefined) {
      continue;
    }
    bytes += ByteSize(output);
    SY_RETURN_IF_ERROR(CopyTo(query_.place, output));
  }
  selection::LogFallback(
      {info_.name, /*location=*/"", query_.place, run_place_, bytes, 1});
  return absl::OkStatus();
}

}  // namespace switchyard::phi::dispatch
