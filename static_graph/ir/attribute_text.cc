// SPDX-License-Identifier: Apache-2.0
// ToString of types and attributes: what the printer writes and the parser
// (attribute_parser.cc) reads.
#include <cstring>
#include <string>

#include "framework/base/float_text.h"
#include "framework/types/float16.h"
#include "framework/types/spec_text.h"
#include "static_graph/ir/attribute.h"
#include "static_graph/ir/builtin_definitions.h"
#include "static_graph/ir/identifier.h"

namespace switchyard::static_graph::ir {
namespace {

// Constants of more elements are written in hexadecimal.
constexpr int64_t kMaxListedElements = 16;

std::string Text(bool value) { return value ? "true" : "false"; }
std::string Text(int value) { return std::to_string(value); }
std::string Text(int64_t value) { return std::to_string(value); }
std::string Text(float value) { return ShortestText(value); }
std::string Text(double value) { return ShortestText(value); }
std::string Text(std::string_view value) { return Quote(value); }
std::string Text(const std::string& value) { return Quote(value); }
std::string Text(const Scalar& value) { return ToString(value); }
std::string Text(DataType value) { return std::string(Name(value)); }
std::string Text(Place value) { return ToString(value); }
std::string Text(PostOps value) {
  return "post_ops" + std::string(value.text());
}
std::string Text(uint8_t value) { return std::to_string(value); }
std::string Text(int8_t value) { return std::to_string(value); }
std::string Text(int16_t value) { return std::to_string(value); }
std::string Text(uint16_t value) { return std::to_string(value); }
std::string Text(uint32_t value) { return std::to_string(value); }
std::string Text(uint64_t value) { return std::to_string(value); }
std::string Text(float16 value) {
  return ShortestText(static_cast<float>(value));
}
std::string Text(bfloat16 value) {
  return ShortestText(static_cast<float>(value));
}

template <typename T>
std::string Text(std::complex<T> value) {
  return ComplexText(value);
}

template <typename T>
std::string ListText(const char* type, absl::Span<const T> values) {
  std::string text = std::string(type) + "[";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    text += Text(values[i]);
  }
  return text + "]";
}

// The elements in full; empty if one is a NaN, whose bits "nan" does not tell.
template <typename T>
std::string ElementsText(std::string_view bytes) {
  std::string text = "[";
  for (size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    const std::string element = Text(value);
    if (element.find("nan") != std::string::npos) return {};
    if (at > 0) text += ", ";
    text += element;
  }
  return text + "]";
}

std::string ElementsText(DataType dtype, std::string_view bytes) {
  switch (dtype) {
#define SY_DATA_TYPE(enumerator, name, type, size) \
  case DataType::enumerator:                       \
    return ElementsText<type>(bytes);
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE
    default:
      break;
  }
  // The codes, since not all storage types have a number for each.
  return IsStorage(dtype) ? ElementsText<uint8_t>(bytes) : "";
}

std::string HexText(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "[0x";
  text.reserve(bytes.size() * 2 + 4);
  for (char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text + "]";
}

// "float32[?, 784]" and what differs from strided, dense, LoD 0.
std::string TypeText(const TensorSpec& spec) {
  std::string text = SpecText(spec.dtype, spec.shape);
  if (!spec.layout.strided()) {
    text += ", layout " + std::string(Name(spec.layout));
  }
  if (spec.kind != TensorKind::kDense) {
    text += ", kind " + std::string(Name(spec.kind));
  }
  if (spec.lod_levels != 0) text += ", lod " + std::to_string(spec.lod_levels);
  return text;
}

std::string ConstantText(TensorType type, std::string_view bytes) {
  const auto size = static_cast<int64_t>(ElementSize(type.dtype()));
  std::string elements;
  if (static_cast<int64_t>(bytes.size()) <= size * kMaxListedElements) {
    elements = ElementsText(type.dtype(), bytes);
  }
  if (elements.empty()) elements = HexText(bytes);
  return "dense<" + TypeText(type.spec()) + ">" + elements;
}

// Returns the word of a list of such elements.
template <typename T>
const char* ListWord() {
  if constexpr (std::is_same_v<T, std::string>) return "string";
  if constexpr (std::is_same_v<T, Scalar>) return "scalar";
  if constexpr (std::is_same_v<T, DataType>) return "dtype";
  if constexpr (std::is_same_v<T, bool>) return "bool";
  if constexpr (std::is_same_v<T, int>) return "int32";
  if constexpr (std::is_same_v<T, int64_t>) return "int64";
  if constexpr (std::is_same_v<T, float>) return "float32";
  return "float64";
}

std::string RefText(AttrRef value) {
  return VisitAttrType(value.type(), [&](auto tag) -> std::string {
    using T = typename decltype(tag)::type;
    if constexpr (tag.kList) {
      return ListText(ListWord<typename decltype(tag)::Element>(),
                      value.Get<T>());
    } else {
      const std::string text = Text(value.Get<T>());
      if constexpr (std::is_same_v<T, int64_t>) return text + " : int64";
      if constexpr (std::is_same_v<T, double>) return text + " : float64";
      if constexpr (std::is_same_v<T, const Scalar&>) {
        return "scalar(" + text + ")";
      }
      return text;
    }
  });
}

}  // namespace

std::string PrintTensor(Type type) {
  return "<" + TypeText(type.As<TensorType>().spec()) + ">";
}

std::string PrintValue(Attribute attribute) {
  return RefText(*attribute.ref());
}

std::string PrintStrings(Attribute attribute) {
  return RefText(*attribute.ref());
}

std::string PrintSymbol(Attribute attribute) {
  return "@" + IdentifierOrQuoted(attribute.text());
}

std::string PrintConstant(Attribute attribute) {
  return ConstantText(attribute.constant_type(), attribute.bytes());
}

std::string ToString(Type type) {
  if (!type) return "null";
  const TypeDefinition& definition = type.definition();
  return definition.name + definition.print(type);
}

std::string ToString(Attribute attribute) {
  if (!attribute) return "null";
  const AttributeDefinition& definition = attribute.definition();
  std::string text = definition.print(attribute);
  return definition.literal ? text : definition.name + text;
}

}  // namespace switchyard::static_graph::ir
