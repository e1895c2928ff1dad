// SPDX-License-Identifier: Apache-2.0
#include "phi/legacy/legacy_call.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "phi/legacy/common_attributes.h"
#include "phi/legacy/legacy_data_type.h"

namespace switchyard::phi {
namespace {

template <typename Row>
std::string NamesOf(absl::Span<const Row> rows) {
  return absl::StrJoin(rows, ", ", [](std::string* out, const Row& row) {
    out->append(row.name);
  });
}

bool IsExtra(const LegacyForm& form, std::string_view name) {
  const auto is_name = [&](std::string_view other) { return other == name; };
  return std::any_of(form.extra.begin(), form.extra.end(), is_name) ||
         IsWithoutEffect(name);
}

// The call's inputs that the form's slots name; -1 where absent.
absl::StatusOr<std::vector<int>> MatchSlots(
    const LegacyForm& form, absl::Span<const LegacyInput> given) {
  std::vector<int> matched(form.inputs.size(), -1);
  for (size_t i = 0; i < given.size(); ++i) {
    const LegacySlot* slot = form.input(given[i].slot);
    if (slot == nullptr) {
      if (given[i].count == 0) continue;
      return ArgumentError("inputs", absl::StrCat("of ", NamesOf(form.inputs)),
                           given[i].slot);
    }
    int& input = matched[slot - form.inputs.data()];
    if (input >= 0) return ArgumentError(given[i].slot, "given once", "twice");
    input = static_cast<int>(i);
    if (given[i].count > 1 && !slot->duplicable) {
      return ArgumentError(given[i].slot, "one tensor",
                           absl::StrCat(given[i].count));
    }
  }
  for (int& input : matched) {
    if (input >= 0 && given[input].count == 0) input = -1;
  }
  return matched;
}

bool MayBeAbsent(const OpInfo& op, const LegacySlot& slot) {
  if (slot.dispensable) return true;
  if (slot.argument < 0) return slot.supplies < 0;
  const InputInfo& input = op.inputs[slot.argument];
  return input.optional || input.list;
}

template <typename To, typename From>
std::optional<To> InRange(From value) {
  if (value < std::numeric_limits<To>::min() ||
      value > std::numeric_limits<To>::max()) {
    return std::nullopt;
  }
  return static_cast<To>(value);
}

// An attribute's value where it is a whole number, any number, or a list.
std::optional<int64_t> AsInteger(AttrRef value) {
  if (value.type() == AttrType::kInt) return value.Get<int>();
  if (value.type() == AttrType::kInt64) return value.Get<int64_t>();
  return std::nullopt;
}

std::optional<double> AsDouble(AttrRef value) {
  if (value.type() == AttrType::kFloat) return value.Get<float>();
  if (value.type() == AttrType::kDouble) return value.Get<double>();
  const std::optional<int64_t> integer = AsInteger(value);
  if (!integer.has_value()) return std::nullopt;
  return static_cast<double>(*integer);
}

std::optional<std::vector<int64_t>> AsIntegers(AttrRef value) {
  if (value.type() == AttrType::kInts) {
    const auto list = value.Get<absl::Span<const int>>();
    return std::vector<int64_t>(list.begin(), list.end());
  }
  if (value.type() == AttrType::kInt64s) {
    const auto list = value.Get<absl::Span<const int64_t>>();
    return std::vector<int64_t>(list.begin(), list.end());
  }
  return std::nullopt;
}

// A list of numbers with the kind of each: integers stay integers.
std::optional<std::vector<Scalar>> AsScalars(AttrRef value) {
  return VisitAttrType(
      value.type(), [&](auto tag) -> std::optional<std::vector<Scalar>> {
        if constexpr (tag.kList) {
          using Element = typename decltype(tag)::Element;
          if constexpr (std::is_convertible_v<Element, Scalar>) {
            const auto list = value.Get<typename decltype(tag)::type>();
            return std::vector<Scalar>(list.begin(), list.end());
          }
        }
        return std::nullopt;
      });
}

// The number that a text spells.
std::optional<Scalar> Spelled(std::string_view text) {
  const absl::string_view digits(text.data(), text.size());
  int64_t integer = 0;
  if (absl::SimpleAtoi(digits, &integer)) return Scalar(integer);
  double number = 0;
  if (absl::SimpleAtod(digits, &number)) return Scalar(number);
  return std::nullopt;
}

// A list of numbers as one of floats, doubles or Scalars; a number stands for a
// list of one float.
std::optional<Attribute> ConvertList(AttrRef value, AttrType to) {
  if (const std::optional<double> number = AsDouble(value)) {
    if (to != AttrType::kFloats) return std::nullopt;
    const float one[] = {static_cast<float>(*number)};
    return Attribute(AttrRef(absl::MakeConstSpan(one)));
  }
  const std::optional<std::vector<Scalar>> scalars = AsScalars(value);
  if (!scalars.has_value()) return std::nullopt;
  if (to == AttrType::kStrings && scalars->empty()) {
    return Attribute(AttrRef(absl::Span<const std::string>()));
  }
  if (to == AttrType::kScalars) {
    return Attribute(AttrRef(absl::MakeConstSpan(*scalars)));
  }
  std::vector<double> doubles;
  for (const Scalar& scalar : *scalars) {
    if (scalar.is_bool()) return std::nullopt;
    doubles.push_back(scalar.ToDouble());
  }
  if (to == AttrType::kDoubles) {
    return Attribute(AttrRef(absl::MakeConstSpan(doubles)));
  }
  if (to != AttrType::kFloats) return std::nullopt;
  const std::vector<float> floats(doubles.begin(), doubles.end());
  return Attribute(AttrRef(absl::MakeConstSpan(floats)));
}

// The conversions that lose nothing but a float's precision, which was a
// float in old programs anyway. Nullopt: of another type. `in_range` becomes
// false where only the value does not fit.
std::optional<Attribute> Convert(AttrRef value, AttrType to, bool* in_range) {
  if (value.type() == to) return Attribute(value);
  const std::optional<int64_t> integer = AsInteger(value);
  // Programs of fluid 1.x hold flags as numbers.
  if (to == AttrType::kBool && integer) {
    *in_range = *integer == 0 || *integer == 1;
    return Attribute(AttrRef(*integer == 1));
  }
  const std::optional<double> number = AsDouble(value);
  // A number stands for a list of one.
  const std::optional<std::vector<int64_t>> integers =
      integer ? std::vector<int64_t>{*integer} : AsIntegers(value);
  if (to == AttrType::kInt64 && integer) return Attribute(AttrRef(*integer));
  if (to == AttrType::kInt && integer) {
    const std::optional<int> fit = InRange<int>(*integer);
    *in_range = fit.has_value();
    return Attribute(AttrRef(fit.value_or(0)));
  }
  if (to == AttrType::kFloat && number) {
    // Infinities and NaN are floats, too.
    *in_range = !(std::abs(*number) > std::numeric_limits<float>::max()) ||
                std::isinf(*number);
    return Attribute(AttrRef(*in_range ? static_cast<float>(*number) : 0.0f));
  }
  if (to == AttrType::kDouble && number) return Attribute(AttrRef(*number));
  if (to == AttrType::kScalar && value.type() == AttrType::kString) {
    const std::optional<Scalar> spelled =
        Spelled(value.Get<std::string_view>());
    *in_range = spelled.has_value();
    return Attribute(AttrRef(spelled.value_or(Scalar(0.0))));
  }
  if (to == AttrType::kScalar && number) {
    const Scalar scalar = integer ? Scalar(*integer) : Scalar(*number);
    return Attribute(AttrRef(scalar));
  }
  if (to == AttrType::kInt64s && integers) {
    return Attribute(AttrRef(absl::Span<const int64_t>(*integers)));
  }
  if (to == AttrType::kInts && integers) {
    std::vector<int> fit;
    for (const int64_t item : *integers) {
      *in_range = *in_range && InRange<int>(item).has_value();
      fit.push_back(InRange<int>(item).value_or(0));
    }
    return Attribute(AttrRef(absl::Span<const int>(fit)));
  }
  return ConvertList(value, to);
}

// A given value as one of the form's type; dtypes come as numbers.
absl::StatusOr<Attribute> OfFormType(const LegacyAttr& attr, AttrRef given) {
  if (attr.type != AttrType::kDataType) {
    return ConvertAttribute(attr.name, given, attr.type);
  }
  SY_ASSIGN_OR_RETURN(const Attribute number,
                      ConvertAttribute(attr.name, given, AttrType::kInt));
  const int code = number.ref().Get<int>();
  if (code == -1) return Attribute(AttrRef(DataType::kUndefined));
  const std::optional<DataType> dtype = DataTypeOfLegacy(code);
  if (!dtype.has_value()) {
    return ArgumentError(attr.name, "the number of an element type",
                         ToString(number.ref()));
  }
  return Attribute(AttrRef(*dtype));
}

std::string ValuesOf(const LegacyAttr& attr) {
  return absl::StrJoin(attr.values, ", ",
                       [](std::string* out, const LegacyValue& value) {
                         out->append(ToString(value.value));
                       });
}

absl::StatusOr<std::optional<Attribute>> Repeated(const LegacyForm& form,
                                                  const LegacyAttr& attr,
                                                  int count) {
  constexpr int kMax = 65535;
  if (count < 0 || count > kMax) {
    return ArgumentError(attr.name, absl::StrCat("from 0 to ", kMax),
                         absl::StrCat(count));
  }
  const std::vector<int64_t> items(count, attr.repeated);
  SY_ASSIGN_OR_RETURN(
      Attribute ours,
      ConvertAttribute(attr.name, AttrRef(absl::Span<const int64_t>(items)),
                       form.op->attrs[attr.attr].type));
  return ours;
}

// Returns our attribute for a value of the form's type; nullopt if the value
// leaves it alone.
absl::StatusOr<std::optional<Attribute>> MapAttribute(const LegacyForm& form,
                                                      const LegacyAttr& attr,
                                                      const Attribute& theirs) {
  if (attr.has_unset && theirs == Attribute(attr.unset)) return std::nullopt;
  const LegacyValue* found = nullptr;
  for (const LegacyValue& value : attr.values) {
    if (theirs == Attribute(value.value)) found = &value;
  }
  if (found == nullptr && !attr.values.empty()) {
    return ArgumentError(attr.name, ValuesOf(attr), ToString(theirs.ref()));
  }
  if (attr.attr < 0) return std::nullopt;
  if (found != nullptr && found->mapped) return Attribute(found->ours);
  if (attr.repeats) return Repeated(form, attr, theirs.ref().Get<int>());
  SY_ASSIGN_OR_RETURN(Attribute ours,
                      ConvertAttribute(attr.name, theirs.ref(),
                                       form.op->attrs[attr.attr].type));
  return ours;
}

// An attribute that any operator may have leads to none of ours.
absl::Status CheckCommon(const LegacyForm& form, const LegacyAttr& attr,
                         AttrRef given) {
  SY_ASSIGN_OR_RETURN(const Attribute theirs, OfFormType(attr, given));
  return MapAttribute(form, attr, theirs).status();
}

// Returns the given value of each attribute of the form; null if there is none.
absl::StatusOr<std::vector<const AttrRef*>> MatchAttributes(
    const LegacyForm& form, absl::Span<const LegacyAttrValue> given) {
  std::vector<const AttrRef*> matched(form.attrs.size(), nullptr);
  std::set<std::string_view> others;
  for (const LegacyAttrValue& value : given) {
    const LegacyAttr* attr = form.attr(value.name);
    if (attr == nullptr) {
      if (IsExtra(form, value.name)) continue;
      if (!others.insert(value.name).second) {
        return ArgumentError(value.name, "given once", "twice");
      }
      if (const LegacyAttr* common = FindCommonAttr(value.name)) {
        SY_RETURN_IF_ERROR(CheckCommon(form, *common, value.value));
        continue;
      }
      if (IsNeutral(value.name, value.value)) continue;
      return ArgumentError(
          value.name,
          form.attrs.empty() ? "absent or neutral"
                             : absl::StrCat("absent or neutral (the form has ",
                                            NamesOf(form.attrs), ")"),
          ToString(value.value));
    }
    const AttrRef*& match = matched[attr - form.attrs.data()];
    if (match != nullptr)
      return ArgumentError(value.name, "given once", "twice");
    match = &value.value;
  }
  return matched;
}

}  // namespace

absl::StatusOr<LegacyInputs> MapInputs(const LegacyForm& form,
                                       absl::Span<const LegacyInput> given) {
  SY_ASSIGN_OR_RETURN(const std::vector<int> matched, MatchSlots(form, given));
  const OpInfo& op = *form.op;
  LegacyInputs inputs;
  inputs.suppliers.assign(op.attrs.size(), -1);
  std::vector<int> by_argument(op.inputs.size(), -1);
  for (size_t s = 0; s < form.inputs.size(); ++s) {
    const LegacySlot& slot = form.inputs[s];
    if (matched[s] < 0) {
      if (MayBeAbsent(op, slot)) continue;
      return ArgumentError(slot.name, "given", "none");
    }
    if (slot.argument >= 0) by_argument[slot.argument] = matched[s];
    for (const int attr : {slot.supplies, slot.gives_dtype}) {
      if (attr >= 0) inputs.suppliers[attr] = matched[s];
    }
  }
  for (size_t a = 0; a < by_argument.size(); ++a) {
    const int input = by_argument[a];
    const size_t count = input < 0 ? 0 : given[input].count;
    if (!op.inputs[a].list) {
      inputs.tensors.AddOne({input, 0});
      continue;
    }
    for (size_t i = 0; i < count; ++i) {
      inputs.tensors.push_back({input, static_cast<int>(i)});
    }
    inputs.tensors.EndArgument();
    if (!inputs.tensors.Check().ok()) {
      return ArgumentError(op.inputs[a].name, "at most 65535 tensors",
                           absl::StrCat(count));
    }
  }
  return inputs;
}

bool ReadsAttribute(const LegacyForm& form, std::string_view name) {
  return form.attr(name) != nullptr || !IsExtra(form, name);
}

absl::StatusOr<std::vector<Attribute>> MapAttributes(
    const LegacyForm& form, absl::Span<const LegacyAttrValue> given,
    absl::Span<const int> suppliers) {
  const OpInfo& op = *form.op;
  SY_ASSIGN_OR_RETURN(const std::vector<const AttrRef*> matched,
                      MatchAttributes(form, given));
  std::vector<Attribute> attributes(op.attrs.size());
  std::vector<bool> known(op.attrs.size());
  for (const LegacyConstant& constant : form.constants) {
    attributes[constant.attr] = Attribute(constant.value);
    known[constant.attr] = true;
  }
  for (size_t i = 0; i < matched.size(); ++i) {
    const LegacyAttr& attr = form.attrs[i];
    Attribute theirs(attr.default_value);
    if (matched[i] != nullptr) {
      SY_ASSIGN_OR_RETURN(theirs, OfFormType(attr, *matched[i]));
    } else if (!attr.has_default) {
      continue;
    }
    SY_ASSIGN_OR_RETURN(std::optional<Attribute> ours,
                        MapAttribute(form, attr, theirs));
    if (!ours.has_value()) continue;
    attributes[attr.attr] = *std::move(ours);
    known[attr.attr] = true;
  }
  for (size_t i = 0; i < known.size(); ++i) {
    const bool supplied = i < suppliers.size() && suppliers[i] >= 0;
    if (known[i] || supplied) continue;
    if (!op.attrs[i].has_default) {
      return ArgumentError(op.attrs[i].name, "given", "none");
    }
    attributes[i] = Attribute(op.attrs[i].default_value);
  }
  return attributes;
}

absl::StatusOr<Attribute> ConvertAttribute(std::string_view name, AttrRef value,
                                           AttrType to) {
  bool in_range = true;
  std::optional<Attribute> converted = Convert(value, to, &in_range);
  if (!converted.has_value()) {
    return TypeError(name, Name(to), Name(value.type()));
  }
  if (!in_range) return ArgumentError(name, Name(to), ToString(value));
  return *std::move(converted);
}

}  // namespace switchyard::phi
