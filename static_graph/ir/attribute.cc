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

// Takes one Scalar off the front.
Scalar TakeScalar(std::string_view* bytes) {
  const char kind = bytes->front();
  bytes->remove_prefix(1);
  const auto take = [&](auto value) {
    value = Load<decltype(value)>(*bytes);
    bytes->remove_prefix(sizeof(value));
    return Scalar(value);
  };
  if (kind == 'b') return take(false);
  if (kind == 'i') return take(int64_t{0});
  if (kind == 'c') return take(std::complex<double>());
  return take(0.0);
}

}  // namespace

ValueAttribute::Storage::Storage(Key k) : KeyedAttributeStorage(std::move(k)) {
  const std::string& bytes = key.second;
  value = VisitAttrType(key.first, [&](auto tag) -> AttrRef {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, const Scalar&> ||
                  std::is_same_v<T, absl::Span<const Scalar>>) {
      for (std::string_view rest = bytes; !rest.empty();) {
        scalars.push_back(TakeScalar(&rest));
      }
      if constexpr (tag.kList) return absl::MakeConstSpan(scalars);
      return scalars[0];
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      text = bytes;
      return text;
    } else if constexpr (std::is_same_v<T, absl::Span<const std::string>>) {
      return T();  // Context::GetAttribute makes a StringsAttribute of these.
    } else if constexpr (tag.kList) {
      return LoadSpan<typename decltype(tag)::Element>(bytes);
    } else {
      return Load<T>(bytes);
    }
  });
}

StringsAttribute::Storage::Storage(Key k)
    : KeyedAttributeStorage(std::move(k)) {
  value = AttrRef(absl::MakeConstSpan(key));
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
