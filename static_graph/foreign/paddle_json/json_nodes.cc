// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_json/json_nodes.h"

#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "framework/tensor/tensor_array.h"
#include "phi/legacy/forms/legacy_data_type.h"

namespace switchyard::static_graph {
namespace {

// Lists in lists, of attributes and of types; programs have one or two levels.
constexpr int kMaxLists = 8;

// The elements of a type by the part of its name after "t_".
struct ElementName {
  const char* name;
  DataType dtype;
};
constexpr ElementName kElements[] = {
    {"bool", DataType::kBool},     {"ui8", DataType::kUInt8},
    {"i8", DataType::kInt8},       {"i16", DataType::kInt16},
    {"i32", DataType::kInt32},     {"i64", DataType::kInt64},
    {"f16", DataType::kFloat16},   {"bf16", DataType::kBFloat16},
    {"f32", DataType::kFloat32},   {"f64", DataType::kFloat64},
    {"c64", DataType::kComplex64}, {"c128", DataType::kComplex128},
};

absl::StatusOr<const JsonNode*> Member(const JsonNode& node, const char* key) {
  const JsonNode* const found = node.find(key);
  if (found != nullptr) return found;
  return ArgumentError(absl::StrCat("\"", key, "\""), "there", "none");
}

absl::StatusOr<const JsonNode*> Items(const JsonNode& node, const char* key) {
  SY_ASSIGN_OR_RETURN(const JsonNode* member, Member(node, key));
  if (!member->is_list()) {
    return ArgumentError(absl::StrCat("\"", key, "\""), "a list",
                         member->type_name());
  }
  return member;
}

// Valid as long as the node.
absl::StatusOr<std::string_view> Text(const JsonNode& node, const char* what) {
  if (!node.is_text()) return ArgumentError(what, "a text", node.type_name());
  const std::string_view text = node.text();
  if (text.size() > kMaxJsonName) {
    return ArgumentError(what, absl::StrCat("of at most ", kMaxJsonName),
                         absl::StrCat(text.size(), " bytes"));
  }
  return text;
}

absl::StatusOr<int64_t> Integer(const JsonNode& node, const char* what) {
  if (!node.is_integer()) {
    return ArgumentError(what, "a whole number", node.type_name());
  }
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  if (node.kind() == JsonNode::Kind::kUnsigned && node.as_unsigned() > kMax) {
    return ArgumentError(what, "a number of 64 bits",
                         absl::StrCat(node.as_unsigned()));
  }
  return node.as_signed();
}

// A kind ("0.a_i32") without its dialect.
absl::StatusOr<std::string_view> Kind(const JsonNode& node) {
  SY_ASSIGN_OR_RETURN(const JsonNode* name, Member(node, "#"));
  SY_ASSIGN_OR_RETURN(const std::string_view text, Text(*name, "\"#\""));
  return text.substr(text.find('.') + 1);
}

// An operator's name: dialects are numbers, 0 builtin, 2 control flow.
absl::StatusOr<std::string> OperatorName(const JsonNode& node) {
  SY_ASSIGN_OR_RETURN(const JsonNode* name, Member(node, "#"));
  SY_ASSIGN_OR_RETURN(const std::string_view text, Text(*name, "\"#\""));
  const std::string bare(text.substr(text.find('.') + 1));
  if (bare.empty()) return ArgumentError("\"#\"", "a name", "none");
  if (text == "p") return std::string(kJsonParameter);
  if (text.compare(0, 2, "0.") == 0) return absl::StrCat("builtin.", bare);
  if (text.compare(0, 2, "2.") == 0) return absl::StrCat("cf.", bare);
  return bare;
}

std::optional<DataType> ElementType(std::string_view kind) {
  constexpr std::string_view kPrefix = "t_";
  if (kind.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
  for (const ElementName& row : kElements) {
    if (kind.substr(kPrefix.size()) == row.name) return row.dtype;
  }
  return std::nullopt;
}

absl::StatusOr<Shape> ReadExtents(const JsonNode& node) {
  if (!node.is_list()) {
    return ArgumentError("extents", "a list", node.type_name());
  }
  if (node.size() > static_cast<size_t>(kMaxRank)) {
    return ArgumentError("extents", absl::StrCat("at most ", kMaxRank),
                         absl::StrCat(node.size()));
  }
  Shape shape;
  for (const JsonNode& item : node) {
    SY_ASSIGN_OR_RETURN(const int64_t extent, Integer(item, "extent"));
    // Not -1 alone: products of unknown extents with others are described, too.
    shape.push_back(extent < 0 ? Dim() : Dim(extent));
  }
  if (shape.known()) SY_RETURN_IF_ERROR(shape.NumElements().status());
  return shape;
}

// [element type, extents, layout, ...], of a tensor or of an array's elements.
absl::StatusOr<JsonType> ReadTensor(const JsonNode& node, bool array) {
  SY_ASSIGN_OR_RETURN(const JsonNode* data, Items(node, "D"));
  if (data->size() < 2) {
    return ArgumentError("\"D\"", "an element type and extents",
                         absl::StrCat(data->size(), " items"));
  }
  JsonType type;
  SY_ASSIGN_OR_RETURN(const std::string_view name, Kind((*data)[0]));
  const std::optional<DataType> dtype = ElementType(name);
  type.kind = dtype ? JsonType::Kind::kTensor : JsonType::Kind::kOther;
  TensorSpec& spec = *type.spec.operator->();
  spec.dtype = dtype.value_or(DataType::kUndefined);
  SY_ASSIGN_OR_RETURN(spec.shape, ReadExtents((*data)[1]));
  if (!array) return type;
  if (spec.shape.rank() >= kMaxRank) {
    return ArgumentError("extents", absl::StrCat("at most ", kMaxRank - 1),
                         absl::StrCat(spec.shape.rank()));
  }
  spec.kind = TensorKind::kTensorArray;
  spec.shape = ArrayShape(Dim::Unknown(), spec.shape);
  return type;
}

absl::StatusOr<JsonType> ReadType(const JsonNode& node, int depth) {
  SY_ASSIGN_OR_RETURN(const std::string_view kind, Kind(node));
  if (kind == "NULL") return JsonType();
  if (kind == "t_dtensor") return ReadTensor(node, false);
  if (kind == "t_dense_tensor_array") return ReadTensor(node, true);
  JsonType type;
  type.kind = JsonType::Kind::kOther;
  if (kind != "t_vec") return type;
  type.kind = JsonType::Kind::kList;
  SY_ASSIGN_OR_RETURN(const JsonNode* items, Items(node, "D"));
  if (depth >= kMaxLists) {
    return ArgumentError("types", absl::StrCat("at most ", kMaxLists, " deep"),
                         "more");
  }
  for (const JsonNode& item : *items) {
    SY_ASSIGN_OR_RETURN(type.items.emplace_back(), ReadType(item, depth + 1));
  }
  return type;
}

// A floating number; those that JSON lacks are texts under "VD".
absl::StatusOr<double> Floating(const JsonNode& node) {
  if (const JsonNode* const text = node.find("VD"); text != nullptr) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::string_view said =
        text->is_text() ? text->text() : std::string_view();
    if (said == "INF") return kInfinity;
    if (said == "-INF") return -kInfinity;
    if (said == "NAN") return std::numeric_limits<double>::quiet_NaN();
    return ArgumentError("\"VD\"", "INF, -INF or NAN", text->type_name());
  }
  SY_ASSIGN_OR_RETURN(const JsonNode* data, Member(node, "D"));
  if (!data->is_number()) {
    return ArgumentError("\"D\"", "a number", data->type_name());
  }
  return data->floating();
}

absl::StatusOr<Attribute> Number(const JsonNode& node) {
  if (node.is_bool()) return Attribute(AttrRef(node.boolean()));
  if (node.is_float()) return Attribute(AttrRef(node.floating()));
  SY_ASSIGN_OR_RETURN(const int64_t number, Integer(node, "\"D\""));
  return Attribute(AttrRef(number));
}

absl::StatusOr<Attribute> Integers(const JsonNode& items) {
  std::vector<int64_t> list;
  for (const JsonNode& item : items) {
    SY_ASSIGN_OR_RETURN(list.emplace_back(), Integer(item, "\"D\""));
  }
  return Attribute(AttrRef(absl::Span<const int64_t>(list)));
}

// The number of an element type's name, "float32"; -1: none in particular.
absl::StatusOr<Attribute> ElementNumber(const JsonNode& data) {
  SY_ASSIGN_OR_RETURN(const std::string_view name, Text(data, "\"D\""));
  const std::string_view undefined = "Undefined";
  if (name.compare(0, undefined.size(), undefined) == 0) {
    return Attribute(AttrRef(-1));
  }
  const std::optional<DataType> dtype = ParseDataType(name);
  const std::optional<int> number =
      dtype ? phi::LegacyOfDataType(*dtype) : std::nullopt;
  if (!number.has_value()) {
    return ArgumentError("\"D\"", "the name of an element type", name);
  }
  return Attribute(AttrRef(*number));
}

// `unknown` becomes the kind if we have none like it.
absl::StatusOr<Attribute> ReadData(const JsonNode& node, int depth,
                                   JsonItems* items, std::string* unknown) {
  SY_ASSIGN_OR_RETURN(const std::string_view kind, Kind(node));
  if (kind == "a_f32") {
    SY_ASSIGN_OR_RETURN(const double number, Floating(node));
    return Attribute(AttrRef(static_cast<float>(number)));
  }
  if (kind == "a_f64") {
    SY_ASSIGN_OR_RETURN(const double number, Floating(node));
    return Attribute(AttrRef(number));
  }
  if (kind == "NULL") return Attribute(AttrRef(""));
  SY_ASSIGN_OR_RETURN(const JsonNode* data, Member(node, "D"));
  if (kind == "a_str" || kind == "a_layout") {
    SY_ASSIGN_OR_RETURN(const std::string_view text, Text(*data, "\"D\""));
    return Attribute(AttrRef(text));
  }
  if (kind == "a_bool" || kind == "a_i32" || kind == "a_i64") {
    return Number(*data);
  }
  if (kind == "a_dtype") return ElementNumber(*data);
  if (kind == "a_intarray" || kind == "a_array" || kind == "a_scalar") {
    SY_RETURN_IF_ERROR(Items(node, "D").status());
  }
  if (kind == "a_intarray") {
    if (items->empty()) return Integers(*data);
    return ArgumentError("\"D\"", "a whole number", "object");
  }
  if (kind == "a_scalar" && data->size() == 2) return Number((*data)[1]);
  if (kind != "a_array" || depth >= kMaxLists) {
    *unknown = std::string(kind);
    return Attribute();
  }
  if (!data->empty()) return Kind((*data)[0]).status();
  return items->Finish(unknown);
}

// {"#": "p", "A": [distributed, parameter, clipped, name], "O": value,
//  "OA": [persistable, gradient stopped, trainable], ...}
absl::Status ReadParameter(const JsonNode& node, JsonOperator* op) {
  SY_ASSIGN_OR_RETURN(const JsonNode* data, Items(node, "A"));
  if (data->size() < 4) {
    return ArgumentError("\"A\"", "three flags and a name",
                         absl::StrCat(data->size(), " items"));
  }
  SY_ASSIGN_OR_RETURN(const std::string_view name, Text((*data)[3], "\"A\""));
  op->attrs.clear();
  op->attrs.push_back({kParameterName, Attribute(AttrRef(name)), ""});
  const JsonNode* const flags = node.find("OA");
  if (flags != nullptr && flags->is_list() && !flags->empty()) {
    SY_ASSIGN_OR_RETURN(const Attribute kept, Number((*flags)[0]));
    op->attrs.push_back({kPersistable, kept, ""});
  }
  SY_ASSIGN_OR_RETURN(const JsonNode* value, Member(node, "O"));
  SY_ASSIGN_OR_RETURN(JsonValue result, ReadJsonValue(*value, "%"));
  op->results.clear();
  op->results.push_back(std::move(result));
  return absl::OkStatus();
}

}  // namespace

void JsonItems::Add(absl::StatusOr<Attribute> item, std::string unknown) {
  if (!status_.ok() || !unknown_.empty()) return;
  if (!item.ok()) {
    status_ = item.status();
    return;
  }
  unknown_ = std::move(unknown);
  if (!unknown_.empty()) return;
  const AttrRef value = item->ref();
  if (count_++ == 0) type_ = value.type();
  mixed_ |= value.type() != type_;
  if (mixed_) return;
  switch (type_) {
    case AttrType::kBool:
      integers_.push_back(value.Get<bool>() ? 1 : 0);
      break;
    case AttrType::kInt64:
      integers_.push_back(value.Get<int64_t>());
      break;
    case AttrType::kFloat:
      floats_.push_back(value.Get<float>());
      break;
    case AttrType::kDouble:
      doubles_.push_back(value.Get<double>());
      break;
    case AttrType::kString:
      texts_.emplace_back(value.Get<std::string_view>());
      break;
    default:
      mixed_ = true;
  }
}

absl::StatusOr<Attribute> JsonItems::Finish(std::string* unknown) {
  SY_RETURN_IF_ERROR(status_);
  *unknown = mixed_ && unknown_.empty() ? "a_array of several kinds" : unknown_;
  if (!unknown->empty()) return Attribute();
  switch (type_) {
    case AttrType::kFloat:
      return Attribute(AttrRef(absl::MakeConstSpan(floats_)));
    case AttrType::kDouble:
      return Attribute(AttrRef(absl::MakeConstSpan(doubles_)));
    case AttrType::kString:
      return Attribute(AttrRef(absl::MakeConstSpan(texts_)));
    default:
      return Attribute(AttrRef(absl::MakeConstSpan(integers_)));
  }
}

JsonAttrValue ReadJsonAttrValue(const JsonNode& node, int depth,
                                JsonItems* items) {
  JsonAttrValue read;
  read.value = ReadData(node, depth, items, &read.unknown);
  return read;
}

absl::StatusOr<JsonType> ReadJsonType(const JsonNode& node) {
  return ReadType(node, 0);
}

absl::StatusOr<JsonAttr> ReadJsonAttr(const JsonNode& node,
                                      JsonAttrValue value) {
  JsonAttr attr;
  SY_ASSIGN_OR_RETURN(const JsonNode* name, Member(node, "N"));
  SY_ASSIGN_OR_RETURN(attr.name, Text(*name, "\"N\""));
  SY_ASSIGN_OR_RETURN(const JsonNode* data, Member(node, "AT"));
  if (!data->is_object()) value.value = Kind(*data).status();
  if (!value.value.ok()) {
    return Annotate(value.value.status(),
                    absl::StrCat("attribute ", attr.name));
  }
  attr.value = *std::move(value.value);
  attr.unknown = std::move(value.unknown);
  return attr;
}

absl::StatusOr<int64_t> ReadJsonOperand(const JsonNode& node) {
  SY_ASSIGN_OR_RETURN(const JsonNode* number, Member(node, "%"));
  return Integer(*number, "\"%\"");
}

absl::StatusOr<JsonValue> ReadJsonValue(const JsonNode& node,
                                        const char* number_key) {
  JsonValue value;
  SY_ASSIGN_OR_RETURN(const JsonNode* number, Member(node, number_key));
  SY_ASSIGN_OR_RETURN(value.id, Integer(*number, "value"));
  SY_ASSIGN_OR_RETURN(const JsonNode* type, Member(node, "TT"));
  SY_ASSIGN_OR_RETURN(value.type, ReadJsonType(*type));
  return value;
}

absl::Status ReadJsonOperator(const JsonNode& node, JsonOperator* op) {
  SY_ASSIGN_OR_RETURN(op->name, OperatorName(node));
  if (node.find("I") == nullptr && op->name == kJsonParameter) {
    return ReadParameter(node, op);
  }
  SY_ASSIGN_OR_RETURN(const JsonNode* operands, Items(node, "I"));
  if (!operands->empty()) return ReadJsonOperand((*operands)[0]).status();
  SY_ASSIGN_OR_RETURN(const JsonNode* results, Items(node, "O"));
  if (!results->empty()) return ReadJsonValue((*results)[0], "%").status();
  SY_ASSIGN_OR_RETURN(const JsonNode* attrs, Items(node, "A"));
  if (!attrs->empty()) return ReadJsonAttr((*attrs)[0], {}).status();
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
