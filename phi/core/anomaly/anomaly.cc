// SPDX-License-Identifier: Apache-2.0
#include "phi/core/anomaly/anomaly.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "framework/types/data_type.h"
#include "framework/types/scalar.h"

namespace switchyard::phi {
namespace {

// The payload of an anomaly; not empty where the message has a place.
constexpr char kAnomaly[] = "switchyard/anomaly";
// The inputs that a message names.
constexpr size_t kNamed = 4;

bool IsFinite(const AttrRef& attr) {
  if (attr.supplied()) return true;
  switch (attr.type()) {
    case AttrType::kFloat:
    case AttrType::kDouble:
      return std::isfinite(attr.Get<double>());
    case AttrType::kScalar:
      return std::isfinite(attr.Get<Scalar>().ToDouble());
    default:
      return true;
  }
}

// "[0, 3]"; empty where positions say nothing.
std::string IndexText(const TensorBase& tensor, int64_t position) {
  if (tensor.kind() != TensorKind::kDense || !tensor.layout().strided()) {
    return "";
  }
  std::string text = "]";
  for (int axis = tensor.rank() - 1; axis >= 0; --axis) {
    const int64_t extent = tensor.extent(axis);
    text.insert(0, absl::StrCat(axis == 0 ? "" : ", ", position % extent));
    position /= extent;
  }
  return absl::StrCat(" at [", text);
}

// "NaN at [0, 3]"
std::string FoundText(const TensorBase& tensor, const NumberRange& range) {
  const bool nan = range.has_nan();
  return absl::StrCat(
      nan ? "NaN" : "infinity",
      IndexText(tensor, nan ? range.first_nan : range.first_infinity));
}

std::string RangeText(const NumberRange& range) {
  if (range.first_infinity >= 0) return " (infinite in places)";
  if (range.least > range.greatest) return " (empty)";
  return absl::StrCat(" (from ", range.least, " to ", range.greatest, ")");
}

}  // namespace

bool AnomalyCheck::AttributesAreFinite() const {
  return std::all_of(attrs_.begin(), attrs_.end(), IsFinite);
}

absl::Status AnomalyCheck::ReadInputs() {
  if (known_) return absl::OkStatus();
  finite_ = AttributesAreFinite();
  for (const auto [argument, slot, tensor] : inputs_) {
    const InputInfo& info = info_.inputs[argument];
    if (tensor == nullptr || info.no_need_buffer) continue;
    Input input;
    input.argument = argument;
    if (info.list) input.position = slot - inputs_.segments().begin(argument);
    SY_ASSIGN_OR_RETURN(input.range, RangeOf(*tensor));
    finite_ &= input.range.finite();
    has_nan_ |= input.range.has_nan();
    read_.push_back(input);
  }
  known_ = true;
  return absl::OkStatus();
}

std::string AnomalyCheck::InputsText(bool finite) const {
  std::string text;
  const size_t named = std::min(read_.size(), kNamed);
  for (size_t i = 0; i < named; ++i) {
    const Input& input = read_[i];
    const bool last = i + 1 == read_.size();
    if (i > 0) text.append(last ? " and " : ", ");
    text.append(info_.inputs[input.argument].name);
    if (input.position >= 0) absl::StrAppend(&text, "[", input.position, "]");
    text.append(RangeText(input.range));
  }
  if (named < read_.size()) {
    absl::StrAppend(&text, " and ", read_.size() - named, " more");
  }
  const bool one = read_.size() == 1;
  if (finite) return text + (one ? " is finite" : " are finite");
  return text + (one ? " has none" : " have none");
}

absl::Status AnomalyCheck::CheckOutputs(
    const ArgList<const TensorBase* const>& outputs) {
  for (const auto [argument, slot, tensor] : outputs) {
    const OutputInfo& info = info_.outputs[argument];
    if (tensor == nullptr || info.intermediate) continue;
    const DataType dtype = tensor->dtype();
    if (!IsDifferentiable(dtype) && !IsStorage(dtype)) continue;
    SY_ASSIGN_OR_RETURN(const NumberRange range, RangeOf(*tensor));
    if (range.finite()) continue;
    SY_RETURN_IF_ERROR(ReadInputs());
    if (read_.empty()) return absl::OkStatus();
    if (!finite_ && (has_nan_ || !range.has_nan())) continue;
    std::string name = info.name;
    if (info.list) {
      absl::StrAppend(&name, "[", slot - outputs.segments().begin(argument),
                      "]");
    }
    absl::Status status = absl::FailedPreconditionError(
        absl::StrCat(name, " has ", FoundText(*tensor, range), ", though ",
                     InputsText(finite_)));
    status.SetPayload(kAnomaly, absl::Cord());
    return status;
  }
  return absl::OkStatus();
}

bool IsAnomaly(const absl::Status& status) {
  return status.GetPayload(kAnomaly).has_value();
}

bool IsPlacedAnomaly(const absl::Status& status) {
  const auto payload = status.GetPayload(kAnomaly);
  return payload.has_value() && !payload->empty();
}

absl::Status PlaceAnomaly(const absl::Status& status, std::string_view text) {
  if (!IsAnomaly(status) || IsPlacedAnomaly(status)) return status;
  std::string message(status.message());
  message.append(text);
  absl::Status placed(status.code(), message);
  status.ForEachPayload([&](absl::string_view url, const absl::Cord& payload) {
    placed.SetPayload(url, payload);
  });
  placed.SetPayload(kAnomaly, absl::Cord("placed"));
  return placed;
}

}  // namespace switchyard::phi
