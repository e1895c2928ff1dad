// SPDX-License-Identifier: Apache-2.0
#include "framework/types/attribute.h"

#include "framework/base/float_text.h"

namespace switchyard {
namespace {

template <typename T>
std::vector<T> Copy(AttrRef ref) {
  const auto values = ref.Get<absl::Span<const T>>();
  return std::vector<T>(values.begin(), values.end());
}

std::string Text(bool v) { return v ? "true" : "false"; }
std::string Text(int v) { return std::to_string(v); }
std::string Text(int64_t v) { return std::to_string(v); }
std::string Text(float v) { return ShortestText(v); }
std::string Text(double v) { return ShortestText(v); }

template <typename T>
std::string ListText(absl::Span<const T> values) {
  std::string text = "{";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    text += Text(values[i]);
  }
  return text + "}";
}

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

}  // namespace

std::string_view Name(AttrType type) {
  switch (type) {
    case AttrType::kBool:
      return "bool";
    case AttrType::kInt:
      return "int";
    case AttrType::kInt64:
      return "int64_t";
    case AttrType::kFloat:
      return "float";
    case AttrType::kDouble:
      return "double";
    case AttrType::kString:
      return "str";
    case AttrType::kInts:
      return "int[]";
    case AttrType::kInt64s:
      return "int64_t[]";
    case AttrType::kFloats:
      return "float[]";
    case AttrType::kBools:
      return "bool[]";
    case AttrType::kScalar:
      return "Scalar";
    case AttrType::kDataType:
      return "DataType";
    case AttrType::kPlace:
      return "Place";
  }
  return "?";
}

Attribute::Attribute(AttrRef ref) : type_(ref.type()) {
  switch (type_) {
    case AttrType::kBool:
    case AttrType::kInt:
    case AttrType::kInt64:
    case AttrType::kDataType:
    case AttrType::kPlace:
      value_ = ref.Get<int64_t>();
      break;
    case AttrType::kFloat:
    case AttrType::kDouble:
      value_ = ref.Get<double>();
      break;
    case AttrType::kString:
      value_ = std::string(ref.Get<std::string_view>());
      break;
    case AttrType::kInts:
      value_ = Copy<int>(ref);
      break;
    case AttrType::kInt64s:
      value_ = Copy<int64_t>(ref);
      break;
    case AttrType::kFloats:
      value_ = Copy<float>(ref);
      break;
    case AttrType::kBools: {
      // Not std::vector<bool>: ref() must point at bytes.
      const auto values = ref.Get<absl::Span<const bool>>();
      value_ = std::vector<uint8_t>(values.begin(), values.end());
      break;
    }
    case AttrType::kScalar:
      value_ = ref.Get<const Scalar&>();
      break;
  }
}

AttrRef Attribute::ref() const {
  switch (type_) {
    case AttrType::kBool:
      return std::get<int64_t>(value_) != 0;
    case AttrType::kInt:
      return static_cast<int>(std::get<int64_t>(value_));
    case AttrType::kInt64:
      return std::get<int64_t>(value_);
    case AttrType::kFloat:
      return static_cast<float>(std::get<double>(value_));
    case AttrType::kDouble:
      return std::get<double>(value_);
    case AttrType::kString:
      return std::string_view(std::get<std::string>(value_));
    case AttrType::kInts:
      return absl::MakeConstSpan(std::get<std::vector<int>>(value_));
    case AttrType::kInt64s:
      return absl::MakeConstSpan(std::get<std::vector<int64_t>>(value_));
    case AttrType::kFloats:
      return absl::MakeConstSpan(std::get<std::vector<float>>(value_));
    case AttrType::kBools: {
      const auto& bytes = std::get<std::vector<uint8_t>>(value_);
      return absl::MakeConstSpan(reinterpret_cast<const bool*>(bytes.data()),
                                 bytes.size());
    }
    case AttrType::kScalar:
      return std::get<Scalar>(value_);
    case AttrType::kDataType:
      return static_cast<DataType>(std::get<int64_t>(value_));
    case AttrType::kPlace: {
      // The packing of AttrRef(Place).
      const int64_t bits = std::get<int64_t>(value_);
      return Place{static_cast<DeviceType>(bits >> 8),
                   static_cast<int8_t>(bits & 0xff)};
    }
  }
  return AttrRef();
}

std::string ToString(AttrRef attr) {
  if (attr.supplied()) {
    const bool list =
        attr.type() == AttrType::kInts || attr.type() == AttrType::kInt64s;
    const auto values = attr.Get<AttrValues>();
    return list || values.size() != 1 ? ToString(values) : ToString(values[0]);
  }
  switch (attr.type()) {
    case AttrType::kBool:
      return Text(attr.Get<bool>());
    case AttrType::kInt:
      return Text(attr.Get<int>());
    case AttrType::kInt64:
      return Text(attr.Get<int64_t>());
    case AttrType::kFloat:
      return Text(attr.Get<float>());
    case AttrType::kDouble:
      return Text(attr.Get<double>());
    case AttrType::kString:
      return QuotedText(attr.Get<std::string_view>());
    case AttrType::kInts:
      return ListText(attr.Get<absl::Span<const int>>());
    case AttrType::kInt64s:
      return ListText(attr.Get<absl::Span<const int64_t>>());
    case AttrType::kFloats:
      return ListText(attr.Get<absl::Span<const float>>());
    case AttrType::kBools:
      return ListText(attr.Get<absl::Span<const bool>>());
    case AttrType::kScalar:
      return ToString(attr.Get<const Scalar&>());
    case AttrType::kDataType:
      return std::string(Name(attr.Get<DataType>()));
    case AttrType::kPlace:
      return ToString(attr.Get<Place>());
  }
  return "?";
}

}  // namespace switchyard
