// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/query.h"

#include <optional>

#include "absl/strings/str_cat.h"

namespace switchyard::phi::selection {
namespace {

// Returns the place of the tensors that decide where the call runs; nullopt if
// there are none. With `skipped`, inputs that need no transform decide.
absl::StatusOr<std::optional<Place>> PlaceOfTensors(const OpInfo& op,
                                                    const InputMetas& inputs,
                                                    bool skipped) {
  std::optional<Place> place;
  for (const auto [argument, slot, tensor] : inputs) {
    if (tensor == nullptr || op.inputs[argument].skip_transform != skipped) {
      continue;
    }
    if (!place.has_value() || *place == Place::Cpu()) {
      place = tensor->place;
    } else if (tensor->place != *place && tensor->place != Place::Cpu()) {
      return ArgumentError(SlotName(op, inputs.segments(), slot),
                           absl::StrCat("on ", ToString(*place)),
                           ToString(tensor->place));
    }
  }
  return place;
}

// The one place where all tensors lie; nullopt if they lie in several, or there
// are none.
std::optional<Place> CommonPlace(absl::Span<const TensorMeta* const> inputs) {
  std::optional<Place> place;
  for (const TensorMeta* tensor : inputs) {
    if (tensor == nullptr) continue;
    if (place.has_value() && tensor->place != *place) return std::nullopt;
    place = tensor->place;
  }
  return place;
}

void AppendTensor(const TensorMeta* tensor, std::string* text) {
  if (tensor == nullptr) {
    text->append("none");
    return;
  }
  if (tensor->kind != TensorKind::kDense) {
    text->append(Name(tensor->kind)).append(" ");
  }
  text->append(Name(tensor->dtype)).append(ToString(tensor->shape));
}

}  // namespace

std::optional<Place> PlaceAttribute(absl::Span<const AttrRef> attrs) {
  for (const AttrRef& attr : attrs) {
    if (attr.type() == AttrType::kPlace) return attr.Get<Place>();
  }
  return std::nullopt;
}

Place ResultPlace(absl::Span<const AttrRef> attrs, Place run_place) {
  if (run_place == Place::Cpu()) return run_place;
  return PlaceAttribute(attrs).value_or(run_place);
}

absl::StatusOr<DataType> KeyDtype(const OpInfo& op, const InputMetas& inputs,
                                  absl::Span<const AttrRef> attrs) {
  const DtypeRule& rule = op.dtype_rule;
  if (rule.attr >= 0) {
    const DataType dtype = attrs[rule.attr].Get<DataType>();
    if (dtype != DataType::kUndefined) return dtype;
  }
  if (rule.input >= 0) {
    const int slot = inputs.segments().begin(rule.input);
    const bool present =
        slot < inputs.segments().end(rule.input) && inputs[slot] != nullptr;
    if (present && inputs[slot]->dtype != DataType::kUndefined) {
      return inputs[slot]->dtype;
    }
    if (rule.literal == DataType::kUndefined) {
      return TypeError(op.inputs[rule.input].name, "a tensor with a dtype",
                       present ? "undefined" : "none");
    }
  }
  if (rule.literal != DataType::kUndefined) return rule.literal;
  return TypeError(rule.attr >= 0 ? op.attrs[rule.attr].name : "dtype", "given",
                   "undefined");
}

absl::StatusOr<Place> CallPlace(const OpInfo& op, const InputMetas& inputs,
                                absl::Span<const AttrRef> attrs,
                                Place fallback) {
  const std::optional<Place> explicit_place = PlaceAttribute(attrs);
  const bool moves = op.has(Trait::kTransform);
  if (explicit_place.has_value() &&
      (!moves || *explicit_place != Place::Cpu())) {
    return *explicit_place;
  }
  // The usual case: all tensors are on one place.
  const bool random = op.has(Trait::kRandom);
  if (!random) {
    const std::optional<Place> common = CommonPlace(inputs.elements());
    if (common.has_value()) return *common;
  }
  SY_ASSIGN_OR_RETURN(std::optional<Place> place,
                      PlaceOfTensors(op, inputs, /*skipped=*/false));
  if (!place.has_value() && !random) {
    SY_ASSIGN_OR_RETURN(place, PlaceOfTensors(op, inputs, /*skipped=*/true));
  }
  return place.value_or(fallback);
}

std::string SlotName(const OpInfo& op, const ArgSegments& inputs, int slot) {
  const int argument = inputs.argument_of(slot);
  std::string name = op.inputs[argument].name;
  if (op.inputs[argument].list) {
    absl::StrAppend(&name, "[", slot - inputs.begin(argument), "]");
  }
  return name;
}

std::string ArgumentsText(const Query& query) {
  std::string text;
  for (int argument = 0; argument < query.inputs.arguments(); ++argument) {
    const bool list = query.op->inputs[argument].list;
    text.append(argument == 0 ? " " : ", ").append(list ? "{" : "");
    const char* separator = "";
    for (const TensorMeta* tensor : query.inputs.list(argument)) {
      text.append(separator);
      AppendTensor(tensor, &text);
      separator = ", ";
    }
    text.append(list ? "}" : "");
  }
  for (size_t i = 0; i < query.attrs.size(); ++i) {
    absl::StrAppend(&text, " ", query.op->attrs[i].name, "=",
                    ToString(query.attrs[i]));
  }
  return text;
}

std::string CallText(const Query& query) {
  return query.op->name + ArgumentsText(query);
}

}  // namespace switchyard::phi::selection
