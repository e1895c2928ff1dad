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
absl::StatusOr<JsonType> ReadTensor(const JsonNode& node, VariableKind kind) {
  SY_ASSIGN_OR_RETURN(const JsonNode* data, Items(node, "D"));
  if (data->size() < 2) {
    return ArgumentError("\"D\"", "an element type and extents",
                         absl::StrCat(data->size(), " items"));
  }
  JsonType type;
  SY_ASSIGN_OR_RETURN(const std::string_view name, Kind((*data)[0]));
  const std::optional<DataType> dtype = ElementType(name);
  if (dtype.has_value()) type.kind = kind;
  type.spec.dtype = dtype.value_or(DataType::kUndefined);
  SY_ASSIGN_OR_RETURN(type.spec.shape, ReadExtents((*data)[1]));
  if (kind != VariableKind::kTensorArray) return type;
  if (type.spec.shape.rank() >= kMaxRank) {
    return ArgumentError("extents", absl::StrCat("at most ", kMaxRank - 1),
                         absl::StrCat(type.spec.shape.rank()));
  }
  type.spec.shape = ArrayShape(Dim::Unknown(), type.spec.shape);
  return type;
}

absl::StatusOr<JsonType> ReadType(const JsonNode& node, int depth) {
  SY_ASSIGN_OR_RETURN(const std::string_view kind, Kind(node));
  if (kind == "t_dtensor") return ReadTensor(node, VariableKind::kDenseTensor);
  if (kind == "t_dense_tensor_array") {
    return ReadTensor(node, VariableKind::kTensorArray);
  }
  JsonType type;
  if (kind != "t_vec") return type;
  type.kind = VariableKind::kTensorList;
  SY_ASSIGN_OR_RETURN(const JsonNode* items, Items(node, "D"));
  if (depth >= kMaxLists) {
    return ArgumentError("types", absl::StrCat("at most ", kMaxLists, " deep"),
                         "more");
  }
  for (const JsonNode& item : *items) {
    SY_RETURN_IF_ERROR(ReadType(item, depth + 1).status());
  }
  type.count = items->size();
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

absl::Status ReadFloating(const JsonNode& node, ForeignKind kind,
                          ForeignAttr* value) {
  SY_ASSIGN_OR_RETURN(const double number, Floating(node));
  value->kind = kind;
  value->SetNumber(number);
  return absl::OkStatus();
}

absl::Status ReadNumber(const JsonNode& node, ForeignAttr* value) {
  if (node.is_bool()) {
    value->Set(node.boolean());
    return absl::OkStatus();
  }
  if (node.is_float()) {
    value->kind = ForeignKind::kDouble;
    value->SetNumber(node.floating());
    return absl::OkStatus();
  }
  SY_ASSIGN_OR_RETURN(const int64_t number, Integer(node, "\"D\""));
  value->kind = ForeignKind::kLong;
  value->SetInteger(number);
  return absl::OkStatus();
}

void SetText(std::string_view text, ForeignAttr* value) {
  value->kind = ForeignKind::kText;
  value->SetText(text);
  value->present = true;
}

// Lets the value be of a kind that we have none like.
void SetUnknown(std::string_view kind, ForeignAttr* value) {
  value->kind = ForeignKind::kNone;
  value->SetText(kind);
}

absl::Status ReadIntegers(const JsonNode& items, ForeignAttr* value) {
  value->kind = ForeignKind::kLongs;
  for (const JsonNode& item : items) {
    SY_ASSIGN_OR_RETURN(const int64_t number, Integer(item, "\"D\""));
    value->Add(number);
  }
  return absl::OkStatus();
}

// The number of an element type's name, "float32"; -1: none in particular.
absl::Status ReadElementNumber(const JsonNode& data, ForeignAttr* value) {
  SY_ASSIGN_OR_RETURN(const std::string_view name, Text(data, "\"D\""));
  value->kind = ForeignKind::kInt;
  value->SetInteger(-1);
  const std::string_view undefined = "Undefined";
  if (name.compare(0, undefined.size(), undefined) == 0) {
    return absl::OkStatus();
  }
  const std::optional<DataType> dtype = ParseDataType(name);
  const std::optional<int> number =
      dtype ? phi::LegacyOfDataType(*dtype) : std::nullopt;
  if (!number.has_value()) {
    return ArgumentError("\"D\"", "the name of an element type", name);
  }
  value->SetInteger(*number);
  return absl::OkStatus();
}

// {"#": "p", "A": [distributed, parameter, clipped, name], "O": value,
//  "OA": [persistable, gradient stopped, trainable], ...}
absl::StatusOr<JsonValue> ReadParameter(const JsonNode& node,
                                        ForeignOperator* op) {
  SY_ASSIGN_OR_RETURN(const JsonNode* data, Items(node, "A"));
  if (data->size() < 4) {
    return ArgumentError("\"A\"", "three flags and a name",
                         absl::StrCat(data->size(), " items"));
  }
  SY_ASSIGN_OR_RETURN(const std::string_view text, Text((*data)[3], "\"A\""));
  op->attrs.Clear();
  ForeignAttr& name = op->attrs.Add();
  name.name = kParameterName;
  SetText(text, &name);
  const JsonNode* const flags = node.find("OA");
  if (flags != nullptr && flags->is_list() && !flags->empty()) {
    ForeignAttr& kept = op->attrs.Add();
    kept.name = kPersistable;
    SY_RETURN_IF_ERROR(ReadNumber((*flags)[0], &kept));
  }
  SY_ASSIGN_OR_RETURN(const JsonNode* value, Member(node, "O"));
  return ReadJsonValue(*value, "%");
}

}  // namespace

void JsonItems::Clear() {
  count_ = 0;
  status_ = absl::OkStatus();
  mixed_ = false;
  Reset(&list_);
}

void JsonItems::Add(const absl::Status& status, const ForeignAttr& item) {
  if (!status_.ok() || is_unknown()) return;
  status_ = status;
  if (!status_.ok()) return;
  if (item.kind == ForeignKind::kNone) return SetUnknown(item.text(), &list_);
  if (count_++ == 0) first_ = item.kind;
  mixed_ |= item.kind != first_;
  if (mixed_) return;
  switch (item.kind) {
    case ForeignKind::kBool:
    case ForeignKind::kLong:
      list_.kind = ForeignKind::kLongs;
      return list_.Add(item.integer());
    case ForeignKind::kFloat:
      list_.kind = ForeignKind::kFloats;
      return list_.Add(static_cast<float>(item.number()));
    case ForeignKind::kDouble:
      list_.kind = ForeignKind::kDoubles;
      return list_.Add(item.number());
    case ForeignKind::kText:
      list_.kind = ForeignKind::kTexts;
      list_.AddText() = item.text();
      return;
    default:
      mixed_ = true;
  }
}

absl::Status JsonItems::Finish(ForeignAttr* value) {
  SY_RETURN_IF_ERROR(status_);
  if (is_unknown()) {
    SetUnknown(list_.text(), value);
  } else if (mixed_) {
    SetUnknown("a_array of several kinds", value);
  } else {
    if (count_ == 0) list_.kind = ForeignKind::kLongs;
    std::swap(*value, list_);
  }
  return absl::OkStatus();
}

absl::Status ReadJsonAttrValue(const JsonNode& node, int depth,
                               JsonItems* items, ForeignAttr* value) {
  SY_ASSIGN_OR_RETURN(const std::string_view kind, Kind(node));
  if (kind == "a_f32") return ReadFloating(node, ForeignKind::kFloat, value);
  if (kind == "a_f64") return ReadFloating(node, ForeignKind::kDouble, value);
  if (kind == "NULL") {
    SetText("", value);
    return absl::OkStatus();
  }
  SY_ASSIGN_OR_RETURN(const JsonNode* data, Member(node, "D"));
  if (kind == "a_str" || kind == "a_layout") {
    SY_ASSIGN_OR_RETURN(const std::string_view text, Text(*data, "\"D\""));
    SetText(text, value);
    return absl::OkStatus();
  }
  if (kind == "a_bool" || kind == "a_i32" || kind == "a_i64") {
    return ReadNumber(*data, value);
  }
  if (kind == "a_dtype") return ReadElementNumber(*data, value);
  if (kind == "a_intarray" || kind == "a_array" || kind == "a_scalar") {
    SY_RETURN_IF_ERROR(Items(node, "D").status());
  }
  if (kind == "a_intarray") {
    if (items->empty()) return ReadIntegers(*data, value);
    return ArgumentError("\"D\"", "a whole number", "object");
  }
  if (kind == "a_scalar" && data->size() == 2) {
    return ReadNumber((*data)[1], value);
  }
  if (kind != "a_array" || depth >= kMaxLists) {
    SetUnknown(kind, value);
    return absl::OkStatus();
  }
  if (!data->empty()) return Kind((*data)[0]).status();
  return items->Finish(value);
}

absl::Status ReadJsonAttr(const JsonNode& node, absl::Status value_status,
                          ForeignAttr* attr) {
  SY_ASSIGN_OR_RETURN(const JsonNode* name, Member(node, "N"));
  SY_ASSIGN_OR_RETURN(attr->name, Text(*name, "\"N\""));
  SY_ASSIGN_OR_RETURN(const JsonNode* data, Member(node, "AT"));
  if (!data->is_object()) value_status = Kind(*data).status();
  if (value_status.ok()) return absl::OkStatus();
  return Annotate(value_status, absl::StrCat("attribute ", attr->name));
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
  SY_ASSIGN_OR_RETURN(value.type, ReadType(*type, 0));
  return value;
}

absl::Status ReadJsonOperator(const JsonNode& node, ForeignOperator* op,
                              std::optional<JsonValue>* parameter) {
  SY_ASSIGN_OR_RETURN(op->type, OperatorName(node));
  if (node.find("I") == nullptr && op->type == kJsonParameter) {
    SY_ASSIGN_OR_RETURN(*parameter, ReadParameter(node, op));
    return absl::OkStatus();
  }
  SY_ASSIGN_OR_RETURN(const JsonNode* operands, Items(node, "I"));
  if (!operands->empty()) return ReadJsonOperand((*operands)[0]).status();
  SY_ASSIGN_OR_RETURN(const JsonNode* results, Items(node, "O"));
  if (!results->empty()) return ReadJsonValue((*results)[0], "%").status();
  SY_ASSIGN_OR_RETURN(const JsonNode* attrs, Items(node, "A"));
  ForeignAttr attr;
  if (!attrs->empty()) return ReadJsonAttr((*attrs)[0], {}, &attr);
  return absl::OkStatus();
}

}  // namespace switchyard::static_graph
