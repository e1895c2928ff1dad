// SPDX-License-Identifier: Apache-2.0
// ConvertAttribute: numbers, texts and lists of old programs as what an
// attribute of ours is.
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "phi/legacy/forms/legacy_call.h"

namespace switchyard::phi {
namespace {

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

}  // namespace

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
