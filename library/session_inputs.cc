// SPDX-License-Identifier: Apache-2.0
#include "library/session_inputs.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/tensor/counted_texts.h"
#include "framework/tensor/tensor_array.h"
#include "framework/types/lod_levels.h"
#include "library/call.h"
#include "library/port_error.h"
#include "library/session_outputs.h"

namespace switchyard::library {

using static_graph::RunValue;

SessionInputs::SessionInputs(const Model* model)
    : model_(*model), inputs_(feeds().size()) {}

absl::StatusOr<SessionInputs::Input*> SessionInputs::InputFor(const char* name,
                                                              TensorKind kind,
                                                              DataType dtype) {
  SY_ASSIGN_OR_RETURN(const size_t position,
                      model_.Find(SWITCHYARD_INPUTS, name));
  const TensorSpec& spec = feeds()[position].meta;
  if (spec.kind != kind) {
    return Of("input", name, TypeError("kind", Name(spec.kind), Name(kind)));
  }
  if (spec.dtype != dtype) {
    return Of("input", name, TypeError("dtype", Name(spec.dtype), Name(dtype)));
  }
  return &inputs_[position];
}

absl::Status SessionInputs::SetBuffer(const char* name,
                                      const CallerBuffer& buffer,
                                      const SessionOutputs& outputs) {
  SY_ASSIGN_OR_RETURN(Input* const input,
                      InputFor(name, TensorKind::kDense, buffer.dtype));
  if (const std::string* const output = outputs.Sharing(buffer)) {
    return Of("input", name,
              ArgumentError("data", "memory that no output shares",
                            absl::StrCat("memory of '", *output, "'")));
  }
  input->buffer = buffer;
  input->lengths.clear();
  return absl::OkStatus();
}

absl::Status SessionInputs::AddItem(const char* name,
                                    const CallerBuffer& buffer) {
  SY_ASSIGN_OR_RETURN(Input* const input,
                      InputFor(name, TensorKind::kTensorArray, buffer.dtype));
  if (static_cast<int64_t>(input->items.size()) == TensorArray::kMaxLength) {
    return Of(
        "input", name,
        SizeError("items", absl::StrCat("at most ", TensorArray::kMaxLength),
                  "one more"));
  }
  if (buffer.shape.rank() == kMaxRank) {
    return Of("input", name,
              ArgumentError("rank", absl::StrCat("below ", kMaxRank),
                            absl::StrCat(kMaxRank)));
  }
  SY_ASSIGN_OR_RETURN(DenseTensor tensor, TensorOf(buffer));
  input->items.push_back(std::move(tensor));
  return absl::OkStatus();
}

absl::Status SessionInputs::SetTexts(const char* name, const Shape& shape,
                                     const char* const* texts,
                                     const size_t* sizes) {
  SY_ASSIGN_OR_RETURN(Input* const input,
                      InputFor(name, TensorKind::kStrings, DataType::kString));
  std::vector<std::string> elements;
  for (int64_t i = 0; i < shape.numel(); ++i) {
    SY_RETURN_IF_ERROR(
        Of("input", name, CheckThere(absl::StrCat("text ", i), texts[i])));
    const size_t size = sizes == nullptr ? std::strlen(texts[i]) : sizes[i];
    elements.emplace_back(texts[i], size);
  }
  absl::StatusOr<StringTensor> tensor =
      CountedTexts(shape, std::move(elements));
  if (!tensor.ok()) return Of("input", name, tensor.status());
  input->texts = std::make_shared<const StringTensor>(*std::move(tensor));
  return absl::OkStatus();
}

absl::Status SessionInputs::SetLengths(const char* name, int level,
                                       absl::Span<const int64_t> lengths) {
  SY_ASSIGN_OR_RETURN(const size_t position,
                      model_.Find(SWITCHYARD_INPUTS, name));
  Input& input = inputs_[position];
  if (!input.buffer.has_value()) {
    return Of("input", name,
              absl::FailedPreconditionError(
                  "switchyard_session_set_input must come first"));
  }
  // Levels come one by one, or again.
  const auto levels = static_cast<int>(input.lengths.size());
  if (level < 0 || level > levels || level >= kMaxLodLevels) {
    return Of("input", name,
              RangeError("level", absl::StrCat("in [0, ", levels, "]"),
                         absl::StrCat(level)));
  }
  if (level == levels) input.lengths.emplace_back();
  input.lengths[level].assign(lengths.begin(), lengths.end());
  return absl::OkStatus();
}

absl::StatusOr<RunValue> SessionInputs::Feed(size_t position) const {
  const static_graph::ProgramPlan::Port& port = feeds()[position];
  const Input& input = inputs_[position];
  if (port.meta.kind == TensorKind::kTensorArray) {
    std::vector<TensorArray::Element> items;
    Shape shape = static_graph::ShapeFor(port.meta.kind, port.meta.shape);
    Shape element = ElementShape(shape);
    for (const DenseTensor& item : input.items) {
      if (!MayEqual(element, item.shape())) {
        return Of(
            "input", port.name,
            ArgumentError("item", ToString(element), ToString(item.shape())));
      }
      items.push_back(std::make_shared<const DenseTensor>(item));
    }
    return RunValue(std::make_shared<const TensorArray>(
        port.meta.dtype, element, Place::Cpu(), ElementList(std::move(items))));
  }
  if (input.texts != nullptr) return RunValue(input.texts);
  if (!input.buffer.has_value()) {
    return Of("input", port.name,
              absl::FailedPreconditionError("it must be set before a run"));
  }
  absl::StatusOr<DenseTensor> tensor = TensorOver(*input.buffer);
  if (!tensor.ok()) return Of("input", port.name, tensor.status());
  if (!input.lengths.empty()) {
    const int64_t rows = tensor->rank() == 0 ? 0 : tensor->extent(0);
    absl::StatusOr<LoD> lod = LodFromLengths(input.lengths, rows);
    if (!lod.ok()) return Of("input", port.name, lod.status());
    tensor->SetLod(std::make_shared<const LoD>(*std::move(lod)));
  }
  return RunValue(*std::move(tensor));
}

absl::StatusOr<std::vector<RunValue>> SessionInputs::Feeds() const {
  std::vector<RunValue> feeds;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    SY_ASSIGN_OR_RETURN(feeds.emplace_back(), Feed(i));
  }
  return feeds;
}

std::vector<Shape> SessionInputs::Shapes() const {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Input& input = inputs_[i];
    shapes.push_back(input.texts != nullptr     ? input.texts->shape()
                     : input.buffer.has_value() ? input.buffer->shape
                                                : feeds()[i].meta.shape);
  }
  return shapes;
}

const std::string* SessionInputs::Sharing(const CallerBuffer& buffer) const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const auto& other = inputs_[i].buffer;
    if (other.has_value() && Overlap(*other, buffer)) return &feeds()[i].name;
  }
  return nullptr;
}

}  // namespace switchyard::library
