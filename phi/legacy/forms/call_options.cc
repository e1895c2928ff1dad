// SPDX-License-Identifier: Apache-2.0
#include "phi/legacy/forms/call_options.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "framework/types/place.h"
#include "phi/legacy/forms/common_attributes.h"

namespace switchyard::phi {
namespace {

constexpr char kOpDevice[] = "op_device";
constexpr char kFixSeed[] = "fix_seed";
constexpr char kIsSparse[] = "is_sparse";

// Whether an attribute of that name is an option of the operator: any has
// op_device and those on libraries, the others are those that its form has and
// our operator lacks.
bool IsOption(const LegacyForm& form, std::string_view name) {
  const LegacyAttr* const attr = form.attr(name);
  if (attr != nullptr) return attr->attr < 0;
  return FindCommonAttr(name) != nullptr && ReadsAttribute(form, name);
}

// The given value of an option as an attribute of `type`; nullopt if it is not
// given or no option of the operator.
absl::StatusOr<std::optional<Attribute>> Given(
    const LegacyForm& form, absl::Span<const LegacyAttrValue> given,
    std::string_view name, AttrType type) {
  for (const LegacyAttrValue& value : given) {
    if (value.name != name) continue;
    if (!IsOption(form, name)) return std::nullopt;
    SY_ASSIGN_OR_RETURN(Attribute attribute,
                        ConvertAttribute(name, value.value, type));
    return attribute;
  }
  return std::nullopt;
}

// Adds what the attribute `name`, which has the value `text`, asks for. What
// was asked for before may say more, an index, but nothing else.
absl::Status Ask(const char* name, std::string_view text,
                 std::string_view device, CallOptions* options) {
  if (device.empty()) return absl::OkStatus();
  if (options->device.empty()) {
    options->device = std::string(device);
    options->asked_by = name;
    return absl::OkStatus();
  }
  const Place before = *ParsePlace(options->device);
  if (ParsePlaceNear(device, before) == before) return absl::OkStatus();
  return ArgumentError(name,
                       absl::StrCat("for the place that ", options->asked_by,
                                    " asks for, which is ", options->device),
                       text);
}

absl::Status AskByName(const LegacyForm& form,
                       absl::Span<const LegacyAttrValue> given,
                       CallOptions* options) {
  SY_ASSIGN_OR_RETURN(const std::optional<Attribute> value,
                      Given(form, given, kOpDevice, AttrType::kString));
  if (!value.has_value()) return absl::OkStatus();
  const std::string text(value->ref().Get<std::string_view>());
  if (text.empty() || text == "all") return absl::OkStatus();
  if (!ParsePlace(text).has_value()) {
    return ArgumentError(kOpDevice,
                         "\"\", \"all\" or a place such as \"cpu\" or "
                         "\"gpu:0\", of a kind that is linked",
                         ToString(value->ref()));
  }
  return Ask(kOpDevice, ToString(value->ref()), text, options);
}

absl::Status AskByNumber(const LegacyForm& form,
                         absl::Span<const LegacyAttrValue> given,
                         CallOptions* options) {
  SY_ASSIGN_OR_RETURN(const std::optional<Attribute> type,
                      Given(form, given, "place_type", AttrType::kInt));
  if (type.has_value()) {
    // The form permits no others.
    const int number = type->ref().Get<int>();
    const char* const device = number == 0 ? "cpu" : number == 1 ? "gpu" : "";
    SY_RETURN_IF_ERROR(
        Ask("place_type", absl::StrCat(number), device, options));
  }
  SY_ASSIGN_OR_RETURN(const std::optional<Attribute> force,
                      Given(form, given, "force_cpu", AttrType::kBool));
  if (!force.has_value() || !force->ref().Get<bool>()) return absl::OkStatus();
  return Ask("force_cpu", "true", "cpu", options);
}

absl::Status AskForLibraries(const LegacyForm& form,
                             absl::Span<const LegacyAttrValue> given,
                             CallOptions* options) {
  const auto ask = [&](const char* name,
                       std::optional<bool>* use) -> absl::Status {
    SY_ASSIGN_OR_RETURN(const std::optional<Attribute> value,
                        Given(form, given, name, AttrType::kBool));
    if (!value.has_value()) return absl::OkStatus();
    const bool asked = value->ref().Get<bool>();
    if (use->has_value() && **use != asked) {
      return ArgumentError(
          name, **use ? "true, as use_mkldnn is" : "false, as use_mkldnn is",
          asked ? "true" : "false");
    }
    *use = asked;
    return absl::OkStatus();
  };
  SY_RETURN_IF_ERROR(ask("use_mkldnn", &options->use_onednn));
  SY_RETURN_IF_ERROR(ask("use_onednn", &options->use_onednn));
  return ask("use_cudnn", &options->use_cudnn);
}

// A seed of 0 is none, and where there is fix_seed, it must say so.
absl::StatusOr<std::optional<int64_t>> Seed(
    const LegacyForm& form, absl::Span<const LegacyAttrValue> given) {
  SY_ASSIGN_OR_RETURN(const std::optional<Attribute> seed,
                      Given(form, given, "seed", AttrType::kInt64));
  SY_ASSIGN_OR_RETURN(const std::optional<Attribute> fix,
                      Given(form, given, kFixSeed, AttrType::kBool));
  if (!seed.has_value() || seed->ref().Get<int64_t>() == 0) return std::nullopt;
  const bool fixed =
      fix.has_value() ? fix->ref().Get<bool>() : form.attr(kFixSeed) == nullptr;
  if (!fixed) return std::nullopt;
  return seed->ref().Get<int64_t>();
}

}  // namespace

absl::StatusOr<CallOptions> ReadCallOptions(
    const LegacyForm& form, absl::Span<const LegacyAttrValue> given) {
  CallOptions options;
  SY_RETURN_IF_ERROR(AskByName(form, given, &options));
  SY_RETURN_IF_ERROR(AskByNumber(form, given, &options));
  SY_RETURN_IF_ERROR(AskForLibraries(form, given, &options));
  SY_ASSIGN_OR_RETURN(options.seed, Seed(form, given));
  SY_ASSIGN_OR_RETURN(const std::optional<Attribute> value,
                      Given(form, given, kIsSparse, AttrType::kBool));
  options.sparse = value.has_value() && value->ref().Get<bool>();
  return options;
}

absl::Status CheckSparse(const CallOptions& options, bool gradient) {
  if (!options.sparse || !gradient) return absl::OkStatus();
  return ArgumentError(
      kIsSparse, "false where there is a gradient, which is dense", "true");
}

}  // namespace switchyard::phi
