// SPDX-License-Identifier: Apache-2.0
#include "framework/types/attribute.h"

#include "framework/base/float_text.h"

namespace switchyard {
namespace {

// The owner of a list's elements. Not std::vector<bool>: ref() must point at
// bytes.
template <typename T>
using Owner =
    std::vector<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>;

std::string QuotedText(std::string_view value) {
  std::string text = "\"";
  for (char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    if (c == '\n') {
      text += "\\n";
    } else {
      text += c;
    }
  }
  return text + "\"";
}

std::string Text(bool v) { return v ? "true" : "false"; }
std::string Text(int v) { return std::to_string(v); }
std::string Text(int64_t v) { return std::to_string(v); }
std::string Text(float v) { return ShortestText(v); }
std::string Text(double v) { return ShortestText(v); }
std::string Text(std::string_view v) { return QuotedText(v); }
std::string Text(const std::string& v) { return QuotedText(v); }
std::string Text(const Scalar& v) { return ToString(v); }
std::string Text(DataType v) { return std::string(Name(v)); }
std::string Text(Place v) { return ToString(v); }
std::string Text(PostOps v) { return std::string(v.text()); }

template <typename T>
std::string Text(absl::Span<const T> values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    text += Text(values[i]);
  }
  return text + "]";
}

}  // namespace

Attribute::Attribute(AttrRef ref) : type_(ref.type()) {
  VisitAttrType(type_, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (tag.kList) {
      const auto values = ref.Get<T>();
      value_ =
          Owner<typename decltype(tag)::Element>(values.begin(), values.end());
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      value_ = std::string(ref.Get<T>());
    } else if constexpr (std::is_same_v<T, const Scalar&> ||
                         std::is_same_v<T, PostOps>) {
      value_ = ref.Get<T>();
    } else if constexpr (std::is_floating_point_v<T>) {
      value_ = ref.Get<double>();
    } else {
      value_ = ref.Get<int64_t>();
    }
  });
}

AttrRef Attribute::ref() const {
  return VisitAttrType(type_, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (tag.kList) {
      using Element = typename decltype(tag)::Element;
      const auto& values = std::get<Owner<Element>>(value_);
      return AttrRef(absl::Span<const Element>(
          reinterpret_cast<const Element*>(values.data()), values.size()));
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      return AttrRef(std::string_view(std::get<std::string>(value_)));
    } else if constexpr (std::is_same_v<T, const Scalar&>) {
      return AttrRef(std::get<Scalar>(value_));
    } else if constexpr (std::is_same_v<T, PostOps>) {
      return AttrRef(std::get<PostOps>(value_));
    } else if constexpr (std::is_same_v<T, Place>) {
      // The packing of AttrRef(Place).
      const int64_t bits = std::get<int64_t>(value_);
      return AttrRef(Place{static_cast<DeviceType>(bits >> 8),
                           static_cast<int8_t>(bits & 0xff)});
    } else if constexpr (std::is_floating_point_v<T>) {
      return AttrRef(static_cast<T>(std::get<double>(value_)));
    } else {
      return AttrRef(static_cast<T>(std::get<int64_t>(value_)));
    }
  });
}

std::string ToString(AttrRef attr) {
  if (attr.supplied()) {
    const auto values = attr.Get<AttrValues>();
    return IsList(attr.type()) || values.size() != 1 ? ToString(values)
                                                     : ToString(values[0]);
  }
  return VisitAttrType(attr.type(), [&](auto tag) {
    return Text(attr.Get<typename decltype(tag)::type>());
  });
}

}  // namespace switchyard
