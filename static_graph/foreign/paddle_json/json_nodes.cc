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
constexpr size_t kMaxLists = 8;

// The elements of a type by its name.
struct ElementName {
  std::string_view name;
  DataType dtype;
};
constexpr ElementName kElements[] = {
    {"t_bool", DataType::kBool},     {"t_ui8", DataType::kUInt8},
    {"t_i8", DataType::kInt8},       {"t_i16", DataType::kInt16},
    {"t_i32", DataType::kInt32},     {"t_i64", DataType::kInt64},
    {"t_f16", DataType::kFloat16},   {"t_bf16", DataType::kBFloat16},
    {"t_f32", DataType::kFloat32},   {"t_f64", DataType::kFloat64},
    {"t_c64", DataType::kComplex64}, {"t_c128", DataType::kComplex128},
};

std::string Quoted(const char* key) { return absl::StrCat("\"", key, "\""); }

absl::StatusOr<const JsonNode*> Member(const JsonNode& node, const char* key) {
  const JsonNode* const found = node.find(key);
  if (found != nullptr) return found;
  return ArgumentError(Quoted(key), "there", "none");
}

absl::StatusOr<const JsonNode*> Items(const JsonNode& node, const char* key) {
  SY_ASSIGN_OR_RETURN(const JsonNode* member, Member(node, key));
  if (member->is_list()) return member;
  return ArgumentError(Quoted(key), "a list", member->type_name());
}

// The value under `key`, as a text that is valid as long as the node.
absl::StatusOr<std::string_view> Text(const JsonNode& node, const char* key) {
  if (!node.is_text()) {
    return ArgumentError(Quoted(key), "a text", node.type_name());
  }
  const std::string_view text = node.text();
  if (text.size() <= kMaxJsonName) return text;
  return ArgumentError(Quoted(key), absl::StrCat("of at most ", kMaxJsonName),
                       absl::StrCat(text.size(), " bytes"));
}

absl::StatusOr<std::string_view> TextMember(const JsonNode& node,
                                            const char* key) {
  SY_ASSIGN_OR_RETURN(const JsonNode* member, Member(node, key));
  return Text(*member, key);
}

absl::StatusOr<int64_t> Integer(const JsonNode& node, const char* what) {
  if (!node.is_whole()) {
    return ArgumentError(what, "a whole number", node.type_name());
  }
  if (node.kind() == JsonNode::Kind::kInteger) return node.integer();
  return ArgumentError(what, "a number of 64 bits", node.NumberText());
}

std::string_view WithoutDialect(std::string_view name) {
  return name.substr(name.find('.') + 1);
}

// A kind ("0.a_i32") without its dialect.
absl::StatusOr<std::string_view> Kind(const JsonNode& node) {
  SY_ASSIGN_OR_RETURN(const std::string_view name, TextMember(node, "#"));
  return WithoutDialect(name);
}

// An operator's name: dialects are numbers, 0 builtin, 2 control flow.
absl::StatusOr<std::string> OperatorName(const JsonNode& node) {
  SY_ASSIGN_OR_RETURN(const std::string_view name, TextMember(node, "#"));
  const std::string bare(WithoutDialect(name));
  if (bare.empty()) return ArgumentError("\"#\"", "a name", "none");
  if (name == "p") return std::string(kJsonParameter);
  if (name.compare(0, 2, "0.") == 0) return absl::StrCat("builtin.", bare);
  if (name.compare(0, 2, "2.") == 0) return absl::StrCat("cf.", bare);
  return bare;
}

std::optional<DataType> ElementType(std::string_view kind) {
  for (const ElementName& row : kElements) {
    if (kind == row.name) return row.dtype;
  }
  return std::nullopt;
}

absl::StatusOr<Shape> ReadExtents(const JsonNode& node, int max_rank) {
  if (!node.is_list()) {
    return ArgumentError("extents", "a list", node.type_name());
  }
  if (node.size() > static_cast<size_t>(max_rank)) {
    return ArgumentError("extents", absl::StrCat("at most ", max_rank),
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
absl::Status ReadTensor(const JsonNode& node, VariableKind kind,
                        JsonValue* value) {
  SY_ASSIGN_OR_RETURN(const JsonNode* data, Items(node, "D"));
  if (data->size() < 2) {
    return ArgumentError("\"D\"", "an element type and extents",
                         absl::StrCat(data->size(), " items"));
  }
  SY_ASSIGN_OR_RETURN(const std::string_view name, Kind((*data)[0]));
  const std::optional<DataType> dtype = ElementType(name);
  if (dtype.has_value()) value->kind = kind;
  TensorSpec& spec = value->spec;
  spec.dtype = dtype.value_or(DataType::kUndefined);
  const bool array = kind == VariableKind::kTensorArray;
  SY_ASSIGN_OR_RETURN(spec.shape,
                      ReadExtents((*data)[1], array ? kMaxRank - 1 : kMaxRank));
  if (array) spec.shape = ArrayShape(Dim::Unknown(), spec.shape);
  return absl::OkStatus();
}

absl::Status ReadType(const JsonNode& node, size_t depth, JsonValue* value) {
  SY_ASSIGN_OR_RETURN(const std::string_view kind, Kind(node));
  if (kind == "t_dtensor") {
    return ReadTensor(node, VariableKind::kDenseTensor, value);
  }
  if (kind == "t_dense_tensor_array") {
    return ReadTensor(node, VariableKind::kTensorArray, value);
  }
  if (kind != "t_vec") return absl::OkStatus();
  SY_ASSIGN_OR_RETURN(const JsonNode* items, Items(node, "D"));
  if (depth >= kMaxLists) {
    return ArgumentError("types", absl::StrCat("at most ", kMaxLists, " deep"),
                         "more");
  }
  for (const JsonNode& item : *items) {
    JsonValue ignored;
    SY_RETURN_IF_ERROR(ReadType(item, depth + 1, &ignored));
  }
  value->kind = VariableKind::kTensorList;
  value->count = items->size();
  return absl::OkStatus();
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
  if (data->is_number()) return data->floating();
  return ArgumentError("\"D\"", "a number", data->type_name());
}

absl::Status SetNumber(absl::StatusOr<double> number, ForeignKind kind,
                       ForeignAttr* value) {
  SY_RETURN_IF_ERROR(number.status());
  value->kind = kind;
  value->SetNumber(*number);
  return absl::OkStatus();
}

absl::Status ReadNumber(const JsonNode& node, ForeignAttr* value) {
  if (node.is_float()) {
    return SetNumber(node.floating(), ForeignKind::kDouble, value);
  }
  if (node.is_bool()) {
    value->Set(node.boolean());
  } else {
    SY_ASSIGN_OR_RETURN(const int64_t number, Integer(node, "\"D\""));
    value->kind = ForeignKind::kLong;
    value->SetInteger(number);
  }
  return absl::OkStatus();
}

absl::Status SetText(absl::StatusOr<std::string_view> text,
                     ForeignAttr* value) {
  SY_RETURN_IF_ERROR(text.status());
  value->kind = ForeignKind::kText;
  value->SetText(*text);
  value->present = true;
  return absl::OkStatus();
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
  SY_ASSIGN_OR_RETURN(const std::string_view name, Text(data, "D"));
  value->kind = ForeignKind::kInt;
  value->SetInteger(-1);
  if (name.rfind("Undefined", 0) == 0) return absl::OkStatus();
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
  op->attrs.Clear();
  ForeignAttr& name = op->attrs.Add();
  name.name = kParameterName;
  SY_RETURN_IF_ERROR(SetText(Text((*data)[3], "A"), &name));
  SY_ASSIGN_OR_RETURN(const JsonNode* result, Member(node, "O"));
  SY_ASSIGN_OR_RETURN(JsonValue value, ReadJsonValue(*result, "%"));
  value.persistable = true;
  const JsonNode* const flags = node.find("OA");
  if (flags != nullptr && flags->is_list() && !flags->empty()) {
    ForeignAttr& kept = op->attrs.Add();
    kept.name = kPersistable;
    SY_RETURN_IF_ERROR(ReadNumber((*flags)[0], &kept));
    value.persistable = kept.number() != 0;
  }
  return value;
}

}  // namespace

void JsonItems::Clear() {
  status_ = absl::OkStatus();
  kind_ = ForeignKind::kNone;
  Reset(&list_);
}

void JsonItems::Add(const absl::Status& status, const ForeignAttr& item) {
  status_.Update(status);
  if (!status_.ok() || is_unknown()) return;
  if (item.kind == ForeignKind::kNone) return SetUnknown(item.text(), &list_);
  if (kind_ == ForeignKind::kNone) kind_ = item.kind;
  constexpr char kSeveral[] = "a_array of several kinds";
  if (item.kind != kind_) return SetUnknown(kSeveral, &list_);
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
      return SetUnknown(kSeveral, &list_);
  }
}

absl::Status JsonItems::Finish(ForeignAttr* value) {
  SY_RETURN_IF_ERROR(status_);
  if (empty()) list_.kind = ForeignKind::kLongs;
  std::swap(*value, list_);
  return absl::OkStatus();
}

absl::Status ReadJsonAttrValue(const JsonNode& node, size_t depth,
                               JsonItems* items, ForeignAttr* value) {
  SY_ASSIGN_OR_RETURN(const std::string_view kind, Kind(node));
  if (kind == "a_f32") {
    return SetNumber(Floating(node), ForeignKind::kFloat, value);
  }
  if (kind == "a_f64") {
    return SetNumber(Floating(node), ForeignKind::kDouble, value);
  }
  if (kind == "NULL") return SetText("", value);
  SY_ASSIGN_OR_RETURN(const JsonNode* data, Member(node, "D"));
  if (kind == "a_str" || kind == "a_layout") {
    return SetText(Text(*data, "D"), value);
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
  SY_ASSIGN_OR_RETURN(attr->name, TextMember(node, "N"));
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
  SY_RETURN_IF_ERROR(ReadType(*type, 0, &value));
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
