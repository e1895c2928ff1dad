// SPDX-License-Identifier: Apache-2.0
#include "static_graph/ir/builtin_definitions.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "framework/types/lod_levels.h"
#include "static_graph/ir/encoding.h"
#include "static_graph/ir/lexer.h"

namespace switchyard::static_graph::ir {
namespace {

// Tell, in front of a Dim's extent or symbol, which of them it has.
constexpr uint32_t kKnown = 0;
constexpr uint32_t kUnknown = 1;
constexpr uint32_t kSymbol = 2;

void EncodeTensor(Type type, Encoder* encoder) {
  const TensorSpec& spec = type.As<TensorType>().spec();
  encoder->Text(Name(spec.dtype));
  encoder->Text(Name(spec.layout));
  encoder->Text(Name(spec.kind));
  encoder->U32(static_cast<uint32_t>(spec.lod_levels));
  encoder->U32(static_cast<uint32_t>(spec.shape.rank()));
  for (Dim dim : spec.shape.dims()) {
    encoder->U32(dim.known() ? kKnown : dim.symbolic() ? kSymbol : kUnknown);
    if (dim.known()) encoder->U64(static_cast<uint64_t>(dim.value()));
    if (dim.symbolic()) encoder->U32(dim.symbol());
  }
}

std::optional<Dim> DecodeDim(Decoder* decoder) {
  switch (decoder->U32()) {
    case kKnown: {
      const auto extent = static_cast<int64_t>(decoder->U64());
      if (extent < 0) return std::nullopt;
      return Dim(extent);
    }
    case kUnknown:
      return Dim::Unknown();
    case kSymbol:
      return Dim::Symbol(decoder->U32());
    default:
      return std::nullopt;
  }
}

absl::StatusOr<Type> DecodeTensor(Decoder* decoder) {
  TensorSpec spec;
  const auto dtype = ParseDataType(decoder->Text());
  const auto layout = ParseLayoutDescriptor(decoder->Text());
  const auto kind = ParseTensorKind(decoder->Text());
  const uint32_t lod_levels = decoder->U32();
  const uint32_t rank = decoder->U32();
  if (!decoder->ok() || !dtype.has_value() || !layout.has_value() ||
      !kind.has_value() || lod_levels > kMaxLodLevels || rank > kMaxRank) {
    return decoder->Malformed("a tensor type");
  }
  spec.dtype = *dtype;
  spec.layout = *layout;
  spec.kind = *kind;
  spec.lod_levels = static_cast<uint8_t>(lod_levels);
  for (uint32_t axis = 0; axis < rank; ++axis) {
    const std::optional<Dim> dim = DecodeDim(decoder);
    if (!dim.has_value()) return decoder->Malformed("a tensor type");
    spec.shape.push_back(*dim);
  }
  if (!Describes(spec.layout, spec.shape)) {
    return decoder->Malformed("a tensor type");
  }
  return Type(decoder->context()->GetTensorType(spec));
}

// Dtypes, places and post-operations by name: their numbers are the process's
// own.
void EncodeValue(Attribute attribute, Encoder* encoder) {
  const AttrRef value = *attribute.ref();
  encoder->Text(Name(value.type()));
  if (value.type() == AttrType::kDataType) {
    encoder->Text(Name(value.Get<DataType>()));
  } else if (value.type() == AttrType::kDataTypes) {
    const auto dtypes = value.Get<absl::Span<const DataType>>();
    encoder->Text(absl::StrJoin(
        dtypes, ",",
        [](std::string* out, DataType dtype) { out->append(Name(dtype)); }));
  } else if (value.type() == AttrType::kPlace) {
    encoder->Text(ToString(value.Get<Place>()));
  } else if (value.type() == AttrType::kPostOps) {
    encoder->Text(value.Get<PostOps>().text());
  } else {
    encoder->Text(attribute.As<ValueAttribute>().raw());
  }
}

bool AreBools(std::string_view bytes) {
  return bytes.find_first_not_of(std::string_view("\0\1", 2)) == bytes.npos;
}

// Returns the bytes of a Scalar whose first byte, its kind's letter, is `kind`;
// 0 if there is no such kind.
size_t ScalarSize(char kind) {
  if (kind == 'b') return 2;
  if (kind == 'c') return 17;
  return kind == 'i' || kind == 'f' ? 9 : 0;
}

// Returns the number of Scalars that these bytes are, one after the other;
// nullopt if they are none.
std::optional<int> CountScalars(std::string_view bytes) {
  int count = 0;
  for (; !bytes.empty(); ++count) {
    const size_t size = ScalarSize(bytes[0]);
    if (size == 0 || bytes.size() < size) return std::nullopt;
    if (bytes[0] == 'b' && !AreBools(bytes.substr(1, 1))) return std::nullopt;
    bytes.remove_prefix(size);
  }
  return count;
}

// Whether these bytes are a value of the type, as ValueAttribute keeps it.
bool AreValue(AttrType type, std::string_view bytes) {
  return VisitAttrType(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, std::string_view>) {
      return true;
    } else if constexpr (std::is_same_v<T, bool>) {
      return bytes.size() == 1 && AreBools(bytes);
    } else if constexpr (std::is_same_v<T, absl::Span<const bool>>) {
      return AreBools(bytes);
    } else if constexpr (std::is_same_v<T, const Scalar&>) {
      return CountScalars(bytes) == 1;
    } else if constexpr (std::is_same_v<T, absl::Span<const Scalar>>) {
      return CountScalars(bytes).has_value();
    } else if constexpr (std::is_arithmetic_v<T>) {
      return bytes.size() == sizeof(T);
    } else if constexpr (tag.kList) {
      using Element = typename decltype(tag)::Element;
      return std::is_arithmetic_v<Element> &&
             bytes.size() % sizeof(Element) == 0;
    } else {
      return false;  // Written by name, or not as a ValueAttribute.
    }
  });
}

std::optional<DataType> DecodeDataType(std::string_view name) {
  if (name == Name(DataType::kUndefined)) return DataType::kUndefined;
  return ParseDataType(name);
}

std::optional<std::vector<DataType>> DecodeDataTypes(std::string_view names) {
  std::vector<DataType> dtypes;
  if (names.empty()) return dtypes;
  for (const absl::string_view name :
       absl::StrSplit(absl::string_view(names.data(), names.size()), ',')) {
    const auto dtype = DecodeDataType({name.data(), name.size()});
    if (!dtype.has_value()) return std::nullopt;
    dtypes.push_back(*dtype);
  }
  return dtypes;
}

absl::StatusOr<Attribute> DecodeValue(Decoder* decoder) {
  Context* const context = decoder->context();
  const std::optional<AttrType> type = ParseAttrType(decoder->Text());
  const std::string_view bytes = decoder->Text();
  if (!decoder->ok() || !type.has_value()) {
    return decoder->Malformed("an attribute");
  }
  if (*type == AttrType::kDataType) {
    const auto dtype = DecodeDataType(bytes);
    if (dtype.has_value()) return context->GetAttribute(*dtype);
  } else if (*type == AttrType::kDataTypes) {
    const auto dtypes = DecodeDataTypes(bytes);
    if (dtypes.has_value()) {
      return context->GetAttribute(absl::MakeConstSpan(*dtypes));
    }
  } else if (*type == AttrType::kPlace) {
    const std::optional<Place> place = ParsePlace(bytes);
    if (place.has_value()) return context->GetAttribute(*place);
  } else if (*type == AttrType::kPostOps) {
    const absl::StatusOr<PostOps> ops = ParsePostOps(Name(*type), bytes);
    if (ops.ok()) return context->GetAttribute(*ops);
  } else if (AreValue(*type, bytes)) {
    const ValueAttribute::Storage value({*type, std::string(bytes)});
    return context->GetAttribute(*value.value);
  }
  return decoder->Malformed("an attribute");
}

void EncodeStrings(Attribute attribute, Encoder* encoder) {
  encoder->U32(static_cast<uint32_t>(attribute.strings().size()));
  for (const std::string& text : attribute.strings()) encoder->Text(text);
}

absl::StatusOr<Attribute> DecodeStrings(Decoder* decoder) {
  const uint32_t count = decoder->U32();
  std::vector<std::string> texts;
  for (uint32_t i = 0; i < count && decoder->ok(); ++i) {
    texts.emplace_back(decoder->Text());
  }
  if (!decoder->ok()) return decoder->Malformed("a list of strings");
  return decoder->context()->GetStrings(texts);
}

void EncodeSymbol(Attribute attribute, Encoder* encoder) {
  encoder->Text(attribute.text());
}

absl::StatusOr<Attribute> DecodeSymbol(Decoder* decoder) {
  return decoder->context()->GetSymbol(decoder->Text());
}

void EncodeConstant(Attribute attribute, Encoder* encoder) {
  encoder->Write(attribute.constant_type());
  encoder->Text(attribute.bytes());
}

absl::StatusOr<Attribute> DecodeConstant(Decoder* decoder) {
  const auto type = decoder->ReadType().As<TensorType>();
  const std::string_view bytes = decoder->Text();
  if (!decoder->ok()) return decoder->Malformed("a constant");
  return decoder->context()->GetConstant(type, bytes);
}

template <typename T>
AttributeDefinition Literal(const char* name) {
  AttributeDefinition definition;
  definition.id = TypeIdOf<T>();
  definition.name = name;
  definition.literal = true;
  return definition;
}

}  // namespace

absl::StatusOr<Attribute> ParsePostOpsValue(Lexer& lexer, Context* context) {
  const Token start = lexer.token();
  lexer.Advance();
  const char* const begin = lexer.token().text.data();
  SY_RETURN_IF_ERROR(lexer.ExpectSign('['));
  while (!lexer.IsSign(']')) {
    if (lexer.Is(TokenKind::kEnd)) return lexer.Error("']'");
    lexer.Advance();
  }
  const size_t size = lexer.token().text.data() + 1 - begin;
  lexer.Advance();
  const absl::StatusOr<PostOps> ops =
      ParsePostOps(Name(AttrType::kPostOps), {begin, size});
  if (ops.ok()) return context->GetAttribute(*ops);
  return Lexer::ErrorAt(start, std::string(ops.status().message()));
}

TypeDefinition TensorDefinition() {
  TypeDefinition definition;
  definition.id = TypeIdOf<TensorType>();
  definition.name = "tensor";
  definition.print = &PrintTensor;
  definition.parse = &ParseTensor;
  definition.encode = &EncodeTensor;
  definition.decode = &DecodeTensor;
  return definition;
}

AttributeDefinition ValueDefinition() {
  auto definition = Literal<ValueAttribute>("value");
  definition.print = &PrintValue;
  definition.encode = &EncodeValue;
  definition.decode = &DecodeValue;
  return definition;
}

AttributeDefinition StringsDefinition() {
  auto definition = Literal<StringsAttribute>("strings");
  definition.print = &PrintStrings;
  definition.encode = &EncodeStrings;
  definition.decode = &DecodeStrings;
  return definition;
}

AttributeDefinition SymbolDefinition() {
  auto definition = Literal<SymbolAttribute>("symbol");
  definition.print = &PrintSymbol;
  definition.encode = &EncodeSymbol;
  definition.decode = &DecodeSymbol;
  return definition;
}

AttributeDefinition ConstantDefinition() {
  auto definition = Literal<ConstantAttribute>("constant");
  definition.print = &PrintConstant;
  definition.encode = &EncodeConstant;
  definition.decode = &DecodeConstant;
  return definition;
}

}  // namespace switchyard::static_graph::ir
