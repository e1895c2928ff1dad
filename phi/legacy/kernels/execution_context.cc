// SPDX-License-Identifier: Apache-2.0
#include "phi/legacy/kernels/execution_context.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "phi/core/allocate_output.h"

namespace switchyard::phi::fluid {

int ExecutionContext::FindInput(std::string_view slot) const {
  const LegacySlot* own = Find(form_.inputs, slot);
  if (own != nullptr) return own->argument;
  if (form_.op == nullptr) return -1;
  const int argument = form_.op->input_index(slot);
  for (const LegacySlot& other : form_.inputs) {
    if (other.argument == argument) return -1;  // It has a name of its own.
  }
  return argument;
}

const SelectedRows* ExecutionContext::InputRows(std::string_view slot) const {
  const int argument = FindInput(slot);
  if (argument < 0) return nullptr;
  return static_cast<const SelectedRows*>(call_.inputs.optional(argument));
}

SelectedRows* ExecutionContext::OutputRows(std::string_view slot) const {
  const int argument = ArgumentOf(form_.outputs, slot);
  if (argument < 0) return nullptr;
  return static_cast<SelectedRows*>(call_.outputs.optional(argument));
}

const TensorArray* ExecutionContext::InputArray(std::string_view slot) const {
  const int argument = FindInput(slot);
  if (argument < 0) return nullptr;
  return static_cast<const TensorArray*>(call_.inputs.optional(argument));
}

TensorArray* ExecutionContext::OutputArray(std::string_view slot) const {
  const int argument = ArgumentOf(form_.outputs, slot);
  if (argument < 0) return nullptr;
  return static_cast<TensorArray*>(call_.outputs.optional(argument));
}

DenseList ExecutionContext::MultiInput(std::string_view slot) const {
  const int argument = ArgumentOf(form_.inputs, slot);
  if (argument < 0) return {};
  return DenseList(call_.inputs.list(argument));
}

DenseOutputs ExecutionContext::MultiOutput(std::string_view slot) const {
  const int argument = ArgumentOf(form_.outputs, slot);
  if (argument < 0) return {};
  return DenseOutputs(call_.outputs.list(argument));
}

absl::Status ExecutionContext::Allocate(std::string_view slot, DataType dtype,
                                        const Shape& shape) const {
  DenseTensor* out = Output(slot);
  if (out == nullptr) return absl::OkStatus();
  out->SetLod(nullptr);
  return AllocateOutput(device(), dtype, shape, out);
}

absl::StatusOr<const LoD*> ExecutionContext::Sequences(
    std::string_view slot) const {
  return SequencesOf(ArgumentName(slot), *Input(slot));
}

absl::StatusOr<const LoD*> ExecutionContext::SequencesOf(
    std::string_view argument, const DenseTensor& tensor) {
  const LoD* lod = tensor.lod().get();
  if (lod == nullptr || lod->offsets.empty() || tensor.rank() == 0) {
    return ArgumentError(argument, "of sequences (with a LoD)",
                         ToString(tensor.shape()) + " without");
  }
  SY_RETURN_IF_ERROR(Annotate(Validate(*lod, tensor.extent(0)), argument));
  return lod;
}

void ExecutionContext::SetLod(std::string_view output, LoD lod) const {
  DenseTensor* to = Output(output);
  if (to != nullptr) to->SetLod(std::make_shared<const LoD>(std::move(lod)));
}

std::string_view ExecutionContext::ArgumentName(std::string_view slot) const {
  const int argument = ArgumentOf(form_.inputs, slot);
  if (argument < 0 || form_.op == nullptr) return slot;
  return form_.op->inputs[argument].name;
}

void ExecutionContext::ShareLod(std::string_view input,
                                std::string_view output) const {
  const DenseTensor* from = Input(input);
  DenseTensor* to = Output(output);
  if (from != nullptr && to != nullptr) to->SetLod(from->lod());
}

absl::StatusOr<AttrRef> ExecutionContext::FindAttr(std::string_view name,
                                                   AttrType type) const {
  const LegacyAttr* attr = Find(form_.attrs, name);
  // One that forms fix (`constants:`) has our name alone.
  int own = attr == nullptr ? -1 : int{attr->attr};
  if (attr == nullptr && form_.op != nullptr) own = form_.op->attr_index(name);
  if (own < 0) {
    return absl::InternalError(absl::StrCat("attribute '", std::string(name),
                                            "' must be one of ", form_.type));
  }
  const AttrRef value = call_.attrs[own];
  if (value.type() != type) {
    return absl::InternalError(absl::StrCat(
        "attribute '", std::string(name), "' must be read as ",
        std::string(Name(value.type())), ", got ", std::string(Name(type))));
  }
  return value;
}

}  // namespace switchyard::phi::fluid
