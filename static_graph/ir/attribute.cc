// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/attribute.h"

#include <cstring>

namespace switchyard::static_graph::ir {
namespace {

template <typename T>
T Load(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

// A string's buffer is aligned for every element type that attributes have.
template <typename T>
absl::Span<const T> LoadSpan(const std::string& bytes) {
  // Not braces, which would make a list of a pointer and a size for bool.
  return absl::Span<const T>(reinterpret_cast<const T*>(bytes.data()),
                             bytes.size() / sizeof(T));
}

Scalar LoadScalar(std::string_view bytes) {
  if (bytes[0] == 'b') return Load<bool>(bytes.substr(1));
  if (bytes[0] == 'i') return Load<int64_t>(bytes.substr(1));
  return Load<double>(bytes.substr(1));
}

AttrRef RefTo(AttrType type, const std::string& bytes) {
  switch (type) {
    case AttrType::kBool:
      return AttrRef(Load<bool>(bytes));
    case AttrType::kInt:
      return AttrRef(Load<int>(bytes));
    case AttrType::kInt64:
      return AttrRef(Load<int64_t>(bytes));
    case AttrType::kFloat:
      return AttrRef(Load<float>(bytes));
    case AttrType::kDouble:
      return AttrRef(Load<double>(bytes));
    case AttrType::kString:
      return AttrRef(std::string_view(bytes));
    case AttrType::kInts:
      return AttrRef(LoadSpan<int>(bytes));
    case AttrType::kInt64s:
      return AttrRef(LoadSpan<int64_t>(bytes));
    case AttrType::kFloats:
      return AttrRef(LoadSpan<float>(bytes));
    case AttrType::kBools:
      return AttrRef(LoadSpan<bool>(bytes));
    case AttrType::kDataType:
      return AttrRef(Load<DataType>(bytes));
    case AttrType::kPlace:
      return AttrRef(Load<Place>(bytes));
    case AttrType::kScalar:
      break;  // The storage's own member.
  }
  return AttrRef();
}

}  // namespace

ValueAttribute::Storage::Storage(Key k) : KeyedAttributeStorage(std::move(k)) {
  if (key.first == AttrType::kScalar) {
    scalar = LoadScalar(key.second);
    value = AttrRef(scalar);
  } else {
    value = RefTo(key.first, key.second);
  }
  if (key.first == AttrType::kString) text = key.second;
}

SymbolAttribute::Storage::Storage(Key k) : KeyedAttributeStorage(std::move(k)) {
  text = key;
}

absl::Span<const std::string> Attribute::strings() const {
  const auto strings = As<StringsAttribute>();
  if (!strings) return {};
  return strings.list();
}

TensorType Attribute::constant_type() const {
  const auto constant = As<ConstantAttribute>();
  return constant ? constant.tensor().first : TensorType();
}

std::string_view Attribute::bytes() const {
  const auto constant = As<ConstantAttribute>();
  return constant ? std::string_view(constant.tensor().second)
                  : std::string_view();
}

}  // namespace switchyard::static_graph::ir
