// SPDX-License-Identifier: Apache-2.0
#include "phi/selection/attribute_text.h"

#include <complex>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace switchyard::phi::selection {
namespace {

std::string Trimmed(absl::string_view text) {
  return std::string(absl::StripAsciiWhitespace(text));
}

std::optional<bool> ParseBool(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  return std::nullopt;
}

std::optional<Scalar> ParseScalar(const std::string& text);

// A value of a type that attributes have, by itself or in a list.
template <typename T>
std::optional<T> ParseValue(const std::string& text) {
  if constexpr (std::is_same_v<T, bool>) {
    return ParseBool(text);
  } else if constexpr (std::is_same_v<T, std::string>) {
    absl::string_view unquoted = text;
    if (absl::ConsumePrefix(&unquoted, "\"")) {
      absl::ConsumeSuffix(&unquoted, "\"");
    }
    return std::string(unquoted);
  } else if constexpr (std::is_same_v<T, Scalar>) {
    return ParseScalar(text);
  } else if constexpr (std::is_same_v<T, DataType>) {
    return ParseDataType(text);
  } else if constexpr (std::is_same_v<T, Place>) {
    return ParsePlace(text);
  } else if constexpr (std::is_same_v<T, PostOps>) {
    const absl::StatusOr<PostOps> ops =
        ParsePostOps(Name(AttrType::kPostOps), text);
    if (!ops.ok()) return std::nullopt;
    return *ops;
  } else {
    T value{};
    bool ok = false;
    if constexpr (std::is_same_v<T, float>) {
      ok = absl::SimpleAtof(text, &value);
    } else if constexpr (std::is_same_v<T, double>) {
      ok = absl::SimpleAtod(text, &value);
    } else {
      ok = absl::SimpleAtoi(text, &value);
    }
    if (!ok) return std::nullopt;
    return value;
  }
}

// "complex(1.0, -0.5)".
std::optional<Scalar> ParseComplex(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, "complex(") ||
      !absl::ConsumeSuffix(&text, ")")) {
    return std::nullopt;
  }
  const std::vector<std::string> parts = absl::StrSplit(text, ',');
  if (parts.size() != 2) return std::nullopt;
  const auto real = ParseValue<double>(Trimmed(parts[0]));
  const auto imaginary = ParseValue<double>(Trimmed(parts[1]));
  if (!real.has_value() || !imaginary.has_value()) return std::nullopt;
  return Scalar(std::complex<double>(*real, *imaginary));
}

std::optional<Scalar> ParseScalar(const std::string& text) {
  if (const auto flag = ParseBool(text)) return Scalar(*flag);
  if (const auto integer = ParseValue<int64_t>(text)) return Scalar(*integer);
  if (const auto number = ParseValue<double>(text)) return Scalar(*number);
  return ParseComplex(text);
}

// Splits at commas, except inside quotation marks and parentheses.
std::vector<std::string> SplitList(absl::string_view text) {
  std::vector<std::string> parts;
  if (absl::StripAsciiWhitespace(text).empty()) return parts;
  std::string part;
  bool quoted = false;
  int depth = 0;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted) depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && !quoted && depth == 0) {
      parts.push_back(std::move(part));
      part.clear();
    } else {
      part += c;
    }
  }
  parts.push_back(std::move(part));
  return parts;
}

// "[1, 2]", as samples, Python and messages write it, "{1, 2}", as signatures
// do, or "1, 2"; "[]" is empty.
template <typename T>
std::optional<Attribute> ListAttribute(absl::string_view text) {
  if (absl::ConsumePrefix(&text, "[")) {
    if (!absl::ConsumeSuffix(&text, "]")) return std::nullopt;
  } else if (absl::ConsumePrefix(&text, "{")) {
    if (!absl::ConsumeSuffix(&text, "}")) return std::nullopt;
  }
  const std::vector<std::string> parts = SplitList(text);
  const auto values = std::make_unique<T[]>(parts.size());  // vector<bool> is
                                                            // no array.
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto value = ParseValue<T>(Trimmed(parts[i]));
    if (!value.has_value()) return std::nullopt;
    values[i] = *value;
  }
  return Attribute(AttrRef(absl::Span<const T>(values.get(), parts.size())));
}

}  // namespace

std::optional<Dim> ParseOpenDim(absl::string_view text) {
  if (text == "?") return Dim::Unknown();
  uint32_t symbol = 0;
  if (absl::ConsumePrefix(&text, "s") && absl::SimpleAtoi(text, &symbol)) {
    return Dim::Symbol(symbol);
  }
  return std::nullopt;
}

std::optional<Attribute> ParseAttribute(AttrType type,
                                        const std::string& text) {
  return VisitAttrType(type, [&](auto tag) -> std::optional<Attribute> {
    using T = typename decltype(tag)::type;
    if constexpr (tag.kList) {
      return ListAttribute<typename decltype(tag)::Element>(text);
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      const auto value = ParseValue<std::string>(text);
      return Attribute(AttrRef(std::string_view(*value)));
    } else {
      const auto value = ParseValue<std::decay_t<T>>(text);
      if (!value.has_value()) return std::nullopt;
      return Attribute(AttrRef(*value));
    }
  });
}

std::optional<std::vector<AttrValue>> ParseElements(AttrType type,
                                                    absl::string_view text) {
  const bool list = absl::ConsumePrefix(&text, "[");
  if (list && !absl::ConsumeSuffix(&text, "]")) return std::nullopt;
  std::vector<AttrValue> elements;
  bool known = true;
  for (const std::string& part : SplitList(text)) {
    const std::string element = Trimmed(part);
    const std::optional<Dim> open = ParseOpenDim(element);
    known &= !open.has_value();
    // Elements are read as integers, so floating numbers stay unknown.
    const auto value = ParseValue<int64_t>(element);
    if (open.has_value()) {
      elements.push_back(AttrValue::Of(*open));
    } else if (value.has_value()) {
      elements.emplace_back(*value);
    } else if (ParseValue<double>(element).has_value()) {
      elements.emplace_back();
    } else {
      return std::nullopt;
    }
  }
  const bool takes_list =
      type == AttrType::kInt64s || type == AttrType::kFloats;
  if (known || list != takes_list || (!list && elements.size() != 1)) {
    return std::nullopt;
  }
  return elements;
}

}  // namespace switchyard::phi::selection
