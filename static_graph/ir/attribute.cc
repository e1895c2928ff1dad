// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/attribute.h"

#include <cstring>

namespace switchyard::static_graph::ir {
namespace {

template <typename T>
T Load(const std::string& bytes) {
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

}  // namespace

std::optional<AttrRef> Attribute::ref() const {
  const std::string& bytes = storage_->bytes;
  switch (storage_->kind) {
    case AttributeKind::kBool:
      return AttrRef(Load<bool>(bytes));
    case AttributeKind::kInt32:
      return AttrRef(Load<int>(bytes));
    case AttributeKind::kInt64:
      return AttrRef(Load<int64_t>(bytes));
    case AttributeKind::kFloat32:
      return AttrRef(Load<float>(bytes));
    case AttributeKind::kFloat64:
      return AttrRef(Load<double>(bytes));
    case AttributeKind::kString:
      return AttrRef(std::string_view(bytes));
    case AttributeKind::kInt32s:
      return AttrRef(LoadSpan<int>(bytes));
    case AttributeKind::kInt64s:
      return AttrRef(LoadSpan<int64_t>(bytes));
    case AttributeKind::kFloat32s:
      return AttrRef(LoadSpan<float>(bytes));
    case AttributeKind::kBools:
      return AttrRef(LoadSpan<bool>(bytes));
    case AttributeKind::kScalar:
      return AttrRef(storage_->scalar);
    case AttributeKind::kDataType:
      return AttrRef(Load<DataType>(bytes));
    case AttributeKind::kPlace:
      return AttrRef(Load<Place>(bytes));
    case AttributeKind::kStrings:
    case AttributeKind::kSymbol:
    case AttributeKind::kConstant:
      return std::nullopt;
  }
  return std::nullopt;
}

std::string_view Attribute::text() const {
  const bool is_text = storage_->kind == AttributeKind::kString ||
                       storage_->kind == AttributeKind::kSymbol;
  return is_text ? std::string_view(storage_->bytes) : std::string_view();
}

}  // namespace switchyard::static_graph::ir
