// SPDX-License-Identifier: Apache-2.0
#include "library/session_outputs.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/tensor/string_tensor.h"
#include "framework/tensor/tensor_array.h"
#include "framework/types/lod_levels.h"
#include "library/call.h"
#include "library/port_error.h"
#include "library/session_inputs.h"
#include "static_graph/executor/tensor_copy.h"

namespace switchyard::library {

using static_graph::RunValue;

SessionOutputs::SessionOutputs(const Model* model)
    : model_(*model), outputs_(fetches().size()) {}

absl::Status SessionOutputs::SetBuffer(const char* name,
                                       const CallerBuffer& buffer,
                                       const SessionInputs& inputs) {
  SY_ASSIGN_OR_RETURN(const size_t position,
                      model_.Find(SWITCHYARD_OUTPUTS, name));
  const TensorSpec& spec = fetches()[position].meta;
  if (spec.kind != TensorKind::kDense || spec.dtype != buffer.dtype) {
    const bool dense = spec.kind == TensorKind::kDense;
    return Of("output", name,
              dense ? TypeError("dtype", Name(spec.dtype), Name(buffer.dtype))
                    : TypeError("kind", "dense", Name(spec.kind)));
  }
  SY_RETURN_IF_ERROR(Of("output", name, CheckElementsApart(buffer)));
  const std::string* shared = inputs.Sharing(buffer);
  if (shared == nullptr) shared = Sharing(buffer, position);
  if (shared != nullptr) {
    return Of("output", name,
              ArgumentError("data", "memory of no other input or output",
                            absl::StrCat("memory of '", *shared, "'")));
  }
  outputs_[position].buffer = buffer;
  return absl::OkStatus();
}

void SessionOutputs::Release() {
  for (Fetched& output : outputs_) {
    output.ran = output.in_buffer = false;
    output.value = RunValue();
    output.lengths.clear();
  }
}

absl::Status SessionOutputs::Keep(std::vector<RunValue> fetched) {
  absl::Status misfit;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    Fetched& output = outputs_[i];
    output.ran = true;
    output.value = std::move(fetched[i]);
    if (output.value.other != nullptr) continue;
    DenseTensor& tensor = output.value.dense;
    if (tensor.lod() != nullptr) {
      output.lengths = SequenceLengths(*tensor.lod());
    }
    if (!output.buffer.has_value()) continue;
    if (Fits(tensor.shape(), *output.buffer)) {
      CopyTo(tensor, *output.buffer);
      output.in_buffer = true;
      // The shape stays, the memory goes.
      tensor.SetMeta(tensor.dtype(), Shape(tensor.shape()), Place::Cpu());
    } else if (misfit.ok()) {
      const CallerBuffer& buffer = *output.buffer;
      misfit =
          WithCode(SWITCHYARD_DOES_NOT_FIT,
                   Of("output", fetches()[i].name,
                      buffer.any_shape
                          ? ArgumentError(
                                "bytes",
                                absl::StrCat("at least ", tensor.byte_size(),
                                             " for ", ToString(tensor.shape())),
                                absl::StrCat(buffer.bytes))
                          : ArgumentError("extents", ToString(tensor.shape()),
                                          ToString(buffer.shape))));
    }
  }
  return misfit;
}

absl::StatusOr<SessionOutputs::Fetched*> SessionOutputs::Result(
    const char* name) {
  SY_ASSIGN_OR_RETURN(const size_t position,
                      model_.Find(SWITCHYARD_OUTPUTS, name));
  Fetched& output = outputs_[position];
  if (!output.ran) {
    return Of("output", name,
              absl::FailedPreconditionError("a run must come first"));
  }
  const TensorKind kind = output.value.base().kind();
  if (kind != TensorKind::kDense && kind != TensorKind::kTensorArray &&
      kind != TensorKind::kStrings) {
    return Of("output", name,
              absl::UnimplementedError(
                  absl::StrCat("results of kind ", std::string(Name(kind)),
                               " can't be read by this interface")));
  }
  return &output;
}

absl::StatusOr<size_t> SessionOutputs::Items(const char* name) {
  SY_ASSIGN_OR_RETURN(Fetched* const output, Result(name));
  if (output->value.base().kind() != TensorKind::kTensorArray) return 1;
  const auto& array = static_cast<const TensorArray&>(*output->value.other);
  return static_cast<size_t>(array.length());
}

absl::StatusOr<SessionOutputs::Item> SessionOutputs::Read(const char* name,
                                                          size_t item) {
  SY_ASSIGN_OR_RETURN(Fetched* const result, Result(name));
  SY_ASSIGN_OR_RETURN(const size_t count, Items(name));
  if (item >= count) {
    return Of("output", name,
              RangeError("item", absl::StrCat("in [0, ", count, ")"),
                         absl::StrCat(item)));
  }
  const DenseTensor* tensor = &result->value.dense;
  if (result->value.base().kind() == TensorKind::kStrings) {
    const TensorBase& texts = *result->value.other;
    return Item{texts.dtype(), texts.shape(), nullptr, 0};
  }
  if (result->value.other != nullptr) {
    const auto& array = static_cast<const TensorArray&>(*result->value.other);
    const TensorArray::Element& element = array.elements()[item];
    if (element == nullptr) return Item();
    tensor = element.get();
  } else if (!result->in_buffer && !tensor->contiguous()) {
    DenseTensor& kept = result->value.dense;
    SY_ASSIGN_OR_RETURN(kept, static_graph::ContiguousCopy(kept));
  }
  const void* data =
      result->in_buffer ? result->buffer->data : tensor->raw_data();
  return Item{tensor->dtype(), tensor->shape(), data, tensor->byte_size()};
}

absl::StatusOr<const std::string*> SessionOutputs::Text(const char* name,
                                                        size_t position) {
  SY_ASSIGN_OR_RETURN(const Fetched* const output, Result(name));
  const TensorBase& tensor = output->value.base();
  if (tensor.kind() != TensorKind::kStrings) {
    return Of(
        "output", name,
        TypeError("kind", Name(TensorKind::kStrings), Name(tensor.kind())));
  }
  const std::vector<std::string>& texts =
      static_cast<const StringTensor&>(tensor).elements();
  if (position >= texts.size()) {
    return Of("output", name,
              RangeError("position", absl::StrCat("in [0, ", texts.size(), ")"),
                         absl::StrCat(position)));
  }
  return &texts[position];
}

absl::StatusOr<absl::Span<const int64_t>> SessionOutputs::Lengths(
    const char* name, int level) {
  SY_ASSIGN_OR_RETURN(Fetched* const output, Result(name));
  const auto levels = static_cast<int>(output->lengths.size());
  if (level < 0 || level >= levels) {
    return Of("output", name,
              RangeError("level", absl::StrCat("in [0, ", levels, ")"),
                         absl::StrCat(level)));
  }
  return absl::MakeConstSpan(output->lengths[level]);
}

const std::string* SessionOutputs::Sharing(const CallerBuffer& buffer,
                                           std::optional<size_t> except) const {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const auto& other = outputs_[i].buffer;
    if (i == except || !other.has_value() || !Overlap(*other, buffer)) continue;
    return &fetches()[i].name;
  }
  return nullptr;
}

}  // namespace switchyard::library
