// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/attribute_parser.h"

#include <charconv>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "framework/types/float16.h"
#include "framework/types/lod_levels.h"
#include "static_graph/ir/builtin_definitions.h"

namespace switchyard::static_graph::ir {
namespace {

// One number of the type T, or a bool.
template <typename T>
absl::StatusOr<T> ParseNumber(Lexer& lexer) {
  const std::string_view text = lexer.token().text;
  T value = {};
  if constexpr (std::is_same_v<T, bool>) {
    if (!lexer.IsWord("true") && !lexer.IsWord("false")) {
      return lexer.Error("'true' or 'false'");
    }
    value = lexer.IsWord("true");
  } else if constexpr (std::is_same_v<T, float16> ||
                       std::is_same_v<T, bfloat16>) {
    SY_ASSIGN_OR_RETURN(const float wide, ParseNumber<float>(lexer));
    return static_cast<T>(wide);
  } else if constexpr (kIsComplex<T>) {
    using Part = typename T::value_type;
    SY_RETURN_IF_ERROR(lexer.ExpectWord("complex"));
    SY_RETURN_IF_ERROR(lexer.ExpectSign('('));
    SY_ASSIGN_OR_RETURN(const Part real, ParseNumber<Part>(lexer));
    SY_RETURN_IF_ERROR(lexer.ExpectSign(','));
    SY_ASSIGN_OR_RETURN(const Part imaginary, ParseNumber<Part>(lexer));
    SY_RETURN_IF_ERROR(lexer.ExpectSign(')'));
    return T(real, imaginary);
  } else {
    constexpr bool kReal = std::is_floating_point_v<T>;
    const bool word = lexer.IsWord("inf") || lexer.IsWord("nan");
    const bool number = kReal ? lexer.Is(TokenKind::kReal) || word
                              : lexer.Is(TokenKind::kInteger);
    if (!number) return lexer.Error(kReal ? "a real number" : "an integer");
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      return lexer.Error("a number in the range of its type");
    }
  }
  lexer.Advance();
  return value;
}

absl::StatusOr<Dim> ParseDim(Lexer& lexer) {
  if (lexer.TakeSign('?')) return Dim::Unknown();
  const std::string_view text = lexer.token().text;
  if (lexer.Is(TokenKind::kWord) && text[0] == 's') {
    uint32_t id = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + 1, end, id);
    if (error == std::errc() && stop == end && text.size() > 1) {
      lexer.Advance();
      return Dim::Symbol(id);
    }
  }
  if (!lexer.Is(TokenKind::kInteger) || text[0] == '-') {
    return lexer.Error("a dimension: a number, '?' or a symbol like 's0'");
  }
  SY_ASSIGN_OR_RETURN(const int64_t extent, ParseNumber<int64_t>(lexer));
  return Dim(extent);
}

absl::StatusOr<Shape> ParseShape(Lexer& lexer) {
  Shape shape;
  SY_RETURN_IF_ERROR(lexer.ExpectSign('['));
  if (lexer.TakeSign(']')) return shape;
  do {
    if (shape.rank() == kMaxRank) {
      return lexer.Error("at most " + std::to_string(kMaxRank) + " dimensions");
    }
    SY_ASSIGN_OR_RETURN(const Dim dim, ParseDim(lexer));
    shape.push_back(dim);
  } while (lexer.TakeSign(','));
  SY_RETURN_IF_ERROR(lexer.ExpectSign(']'));
  return shape;
}

// layout aBcd8b, kind selected_rows, lod 1.
absl::Status ParseTypeProperty(Lexer& lexer, TensorSpec& spec) {
  if (lexer.TakeWord("layout")) {
    const auto layout = ParseLayoutDescriptor(lexer.token().text);
    if (!layout.has_value() || !Describes(*layout, spec.shape)) {
      return lexer.Error("a layout for tensors of the shape");
    }
    spec.layout = *layout;
  } else if (lexer.TakeWord("kind")) {
    const auto kind = ParseTensorKind(lexer.token().text);
    if (!kind.has_value()) return lexer.Error("a tensor kind");
    spec.kind = *kind;
  } else if (lexer.TakeWord("lod")) {
    Lexer number = lexer;
    SY_ASSIGN_OR_RETURN(const int levels, ParseNumber<int>(number));
    if (levels < 0 || levels > kMaxLodLevels) {
      return lexer.Error("0 to " + std::to_string(kMaxLodLevels) +
                         " LoD levels");
    }
    spec.lod_levels = static_cast<uint8_t>(levels);
  } else {
    return lexer.Error("'layout', 'kind' or 'lod'");
  }
  lexer.Advance();
  return absl::OkStatus();
}

// Parses the text between the angle brackets of a type.
absl::StatusOr<TensorSpec> ParseSpec(Lexer& lexer) {
  TensorSpec spec;
  const std::optional<DataType> dtype = ParseDataType(lexer.token().text);
  if (!lexer.Is(TokenKind::kWord) || !dtype.has_value()) {
    return lexer.Error("a dtype");
  }
  spec.dtype = *dtype;
  lexer.Advance();
  SY_ASSIGN_OR_RETURN(spec.shape, ParseShape(lexer));
  while (lexer.TakeSign(',')) {
    SY_RETURN_IF_ERROR(ParseTypeProperty(lexer, spec));
  }
  return spec;
}

template <typename T>
absl::StatusOr<std::string> ParseElements(Lexer& lexer) {
  std::string bytes;
  if (lexer.IsSign(']')) return bytes;
  do {
    SY_ASSIGN_OR_RETURN(const T value, ParseNumber<T>(lexer));
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
  } while (lexer.TakeSign(','));
  return bytes;
}

absl::StatusOr<std::string> ParseElements(Lexer& lexer, DataType dtype) {
  switch (dtype) {
#define SY_DATA_TYPE(enumerator, name, type, size) \
  case DataType::enumerator:                       \
    return ParseElements<type>(lexer);
#include "framework/types/data_type.def"
#undef SY_DATA_TYPE
    default:
      break;
  }
  if (IsStorage(dtype)) return ParseElements<uint8_t>(lexer);
  return lexer.Error("no elements of an undefined dtype");
}

absl::StatusOr<std::string> ParseHex(Lexer& lexer) {
  const std::string_view digits = lexer.token().text.substr(2);
  if (digits.size() % 2 != 0) {
    return lexer.Error("an even number of hexadecimal digits");
  }
  const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  bytes.reserve(digits.size() / 2);
  for (size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(value(digits[i]) * 16 + value(digits[i + 1]));
  }
  lexer.Advance();
  return bytes;
}

// dense<float32[2]>[1.0, 2.0] or dense<float32[2]>[0x0000803f00000040].
absl::StatusOr<Attribute> ParseConstant(Lexer& lexer, Context* context) {
  const Token start = lexer.token();
  SY_RETURN_IF_ERROR(lexer.ExpectWord("dense"));
  SY_RETURN_IF_ERROR(lexer.ExpectSign('<'));
  SY_ASSIGN_OR_RETURN(const TensorSpec spec, ParseSpec(lexer));
  SY_RETURN_IF_ERROR(lexer.ExpectSign('>'));
  SY_RETURN_IF_ERROR(lexer.ExpectSign('['));
  SY_ASSIGN_OR_RETURN(const std::string bytes,
                      lexer.Is(TokenKind::kHex)
                          ? ParseHex(lexer)
                          : ParseElements(lexer, spec.dtype));
  SY_RETURN_IF_ERROR(lexer.ExpectSign(']'));
  const absl::StatusOr<Attribute> constant =
      context->GetConstant(context->GetTensorType(spec), bytes);
  if (constant.ok()) return constant;
  return Lexer::ErrorAt(start, std::string(constant.status().message()));
}

absl::StatusOr<Scalar> ParseScalar(Lexer& lexer) {
  if (lexer.IsWord("true") || lexer.IsWord("false")) {
    return ParseNumber<bool>(lexer);
  }
  if (lexer.Is(TokenKind::kInteger)) return ParseNumber<int64_t>(lexer);
  if (lexer.IsWord("complex")) return ParseNumber<std::complex<double>>(lexer);
  return ParseNumber<double>(lexer);
}

template <typename T>
absl::StatusOr<T> ParseElement(Lexer& lexer) {
  if constexpr (std::is_same_v<T, std::string>) {
    return lexer.ExpectString("a string");
  } else if constexpr (std::is_same_v<T, Scalar>) {
    return ParseScalar(lexer);
  } else if constexpr (std::is_same_v<T, DataType>) {
    const std::optional<DataType> dtype = ParseDataType(lexer.token().text);
    if (!lexer.Is(TokenKind::kWord) || !dtype.has_value()) {
      return lexer.Error("a dtype");
    }
    lexer.Advance();
    return *dtype;
  } else {
    return ParseNumber<T>(lexer);
  }
}

// The elements of a list after its word, as an attribute.
template <typename T>
absl::StatusOr<Attribute> ParseList(Lexer& lexer, Context* context) {
  lexer.Advance();
  SY_RETURN_IF_ERROR(lexer.ExpectSign('['));
  std::vector<T> values;
  if (!lexer.IsSign(']')) {
    do {
      SY_ASSIGN_OR_RETURN(T value, ParseElement<T>(lexer));
      values.push_back(std::move(value));
    } while (lexer.TakeSign(','));
  }
  SY_RETURN_IF_ERROR(lexer.ExpectSign(']'));
  if constexpr (std::is_same_v<T, bool>) {
    // A std::vector<bool> has no array to refer to.
    const auto array = std::make_unique<bool[]>(values.size());
    std::copy(values.begin(), values.end(), array.get());
    return context->GetAttribute(
        absl::Span<const bool>(array.get(), values.size()));
  } else {
    return context->GetAttribute(absl::MakeConstSpan(values));
  }
}

// scalar(0.5) or scalar[1, 0.5].
absl::StatusOr<Attribute> ParseScalars(Lexer& lexer, Context* context) {
  Lexer ahead = lexer;
  ahead.Advance();
  if (ahead.IsSign('[')) return ParseList<Scalar>(lexer, context);
  lexer = ahead;
  SY_RETURN_IF_ERROR(lexer.ExpectSign('('));
  SY_ASSIGN_OR_RETURN(const Scalar scalar, ParseScalar(lexer));
  SY_RETURN_IF_ERROR(lexer.ExpectSign(')'));
  return context->GetAttribute(AttrRef(scalar));
}

// cpu, gpu:0: a kind of device and, except of the host, a number.
absl::StatusOr<Attribute> ParsePlaceAttribute(Lexer& lexer, Context* context) {
  std::string text(lexer.token().text);
  const Token start = lexer.token();
  lexer.Advance();
  if (text != Name(DeviceType::kCpu)) {
    SY_RETURN_IF_ERROR(lexer.ExpectSign(':'));
    if (!lexer.Is(TokenKind::kInteger)) return lexer.Error("a device's number");
    text += ":" + std::string(lexer.token().text);
    lexer.Advance();
  }
  const std::optional<Place> place = ParsePlace(text);
  if (place.has_value()) return context->GetAttribute(*place);
  return Lexer::ErrorAt(start, "expected a place, found '" + text + "'");
}

// A number with the width that may follow it: 5, 5 : int64, 0.5 : float64.
absl::StatusOr<Attribute> ParseNumberAttribute(Lexer& lexer, Context* context) {
  const bool real = !lexer.Is(TokenKind::kInteger);
  const Lexer start = lexer;
  lexer.Advance();
  const bool wide = lexer.TakeSign(':');
  if (wide) {
    SY_RETURN_IF_ERROR(lexer.ExpectWord(real ? "float64" : "int64"));
  }
  Lexer number = start;
  if (real && wide) {
    SY_ASSIGN_OR_RETURN(const double value, ParseNumber<double>(number));
    return context->GetAttribute(value);
  }
  if (real) {
    SY_ASSIGN_OR_RETURN(const float value, ParseNumber<float>(number));
    return context->GetAttribute(value);
  }
  if (wide) {
    SY_ASSIGN_OR_RETURN(const int64_t value, ParseNumber<int64_t>(number));
    return context->GetAttribute(value);
  }
  SY_ASSIGN_OR_RETURN(const int value, ParseNumber<int>(number));
  return context->GetAttribute(value);
}

// Reads a type or an attribute from its name on; those inside it count.
template <typename Definition>
auto ParseNested(const Definition& definition, Lexer& lexer, Context* context)
    -> decltype(definition.parse(lexer, context)) {
  if (lexer.nesting() == kMaxNesting) {
    return lexer.Error("at most " + std::to_string(kMaxNesting) +
                       " types and attributes inside each other");
  }
  const Token name = lexer.token();
  lexer.Advance();
  lexer.SetNesting(lexer.nesting() + 1);
  auto parsed = definition.parse(lexer, context);
  lexer.SetNesting(lexer.nesting() - 1);
  if (!parsed.ok()) return Lexer::Placed(name, parsed.status());
  return parsed;
}

absl::StatusOr<Attribute> ParseWordAttribute(Lexer& lexer, Context* context) {
  if (lexer.IsWord("true") || lexer.IsWord("false")) {
    SY_ASSIGN_OR_RETURN(const bool value, ParseNumber<bool>(lexer));
    return context->GetAttribute(value);
  }
  const bool number = lexer.IsWord("inf") || lexer.IsWord("nan");
  if (number) return ParseNumberAttribute(lexer, context);
  if (lexer.IsWord("dense")) return ParseConstant(lexer, context);
  if (lexer.IsWord("scalar")) return ParseScalars(lexer, context);
  if (lexer.IsWord("string")) return ParseList<std::string>(lexer, context);
  if (lexer.IsWord("dtype")) return ParseList<DataType>(lexer, context);
  if (lexer.IsWord("post_ops")) return ParsePostOpsValue(lexer, context);
  if (ParsePlace(lexer.token().text).has_value()) {
    return ParsePlaceAttribute(lexer, context);
  }
  const AttributeDefinition* definition =
      context->FindAttribute(lexer.token().text);
  if (definition != nullptr && !definition->literal) {
    return ParseNested(*definition, lexer, context);
  }
  const std::optional<DataType> dtype = ParseDataType(lexer.token().text);
  if (!dtype.has_value()) return lexer.Error("an attribute's value");
  Lexer ahead = lexer;
  ahead.Advance();
  if (!ahead.IsSign('[')) {
    lexer = ahead;
    return context->GetAttribute(*dtype);
  }
  switch (*dtype) {
    case DataType::kInt32:
      return ParseList<int>(lexer, context);
    case DataType::kInt64:
      return ParseList<int64_t>(lexer, context);
    case DataType::kFloat32:
      return ParseList<float>(lexer, context);
    case DataType::kFloat64:
      return ParseList<double>(lexer, context);
    case DataType::kBool:
      return ParseList<bool>(lexer, context);
    default:
      return lexer.Error(
          "a list of int32, int64, float32, float64, bool, string, scalar or "
          "dtype");
  }
}

}  // namespace

absl::StatusOr<Type> ParseTensor(Lexer& lexer, Context* context) {
  SY_RETURN_IF_ERROR(lexer.ExpectSign('<'));
  SY_ASSIGN_OR_RETURN(const TensorSpec spec, ParseSpec(lexer));
  SY_RETURN_IF_ERROR(lexer.ExpectSign('>'));
  return Type(context->GetTensorType(spec));
}

absl::StatusOr<Type> ParseType(Lexer& lexer, Context* context) {
  const TypeDefinition* definition = lexer.Is(TokenKind::kWord)
                                         ? context->FindType(lexer.token().text)
                                         : nullptr;
  if (definition == nullptr) return lexer.Error("a type");
  return ParseNested(*definition, lexer, context);
}

absl::StatusOr<Attribute> ParseAttribute(Lexer& lexer, Context* context) {
  switch (lexer.token().kind) {
    case TokenKind::kInteger:
    case TokenKind::kReal:
      return ParseNumberAttribute(lexer, context);
    case TokenKind::kString: {
      SY_ASSIGN_OR_RETURN(const std::string text,
                          lexer.ExpectString("a string"));
      return context->GetString(text);
    }
    case TokenKind::kSymbol: {
      const Attribute symbol = context->GetSymbol(lexer.token().string);
      lexer.Advance();
      return symbol;
    }
    case TokenKind::kWord:
      return ParseWordAttribute(lexer, context);
    default:
      return lexer.Error("an attribute's value");
  }
}

}  // namespace switchyard::static_graph::ir
