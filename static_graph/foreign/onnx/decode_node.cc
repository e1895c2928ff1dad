// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/onnx/decode_node.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "static_graph/foreign/onnx/onnx_fields.h"
#include "static_graph/foreign/onnx/wire_scan.h"

namespace switchyard::static_graph {
namespace {

using Field = onnx::AttributeField;
using Type = onnx::AttributeType;

// The kinds of attributes: the number of the type, and that of the field with
// the value, from which it follows where old writers leave the type out.
struct KindRow {
  int64_t type;
  int field;
  ForeignKind kind;
};
constexpr KindRow kKinds[] = {
    {Type::kFloat, Field::kFloat, ForeignKind::kFloat},
    {Type::kInt, Field::kInt, ForeignKind::kLong},
    {Type::kText, Field::kText, ForeignKind::kText},
    {Type::kTensor, Field::kTensor, ForeignKind::kTensor},
    {Type::kSparse, Field::kSparse, ForeignKind::kTensor},
    {Type::kGraph, Field::kGraph, ForeignKind::kBlock},
    {Type::kFloats, Field::kFloats, ForeignKind::kFloats},
    {Type::kInts, Field::kInts, ForeignKind::kLongs},
    {Type::kTexts, Field::kTexts, ForeignKind::kTexts},
};

// kNone for a type that has no values here.
ForeignKind KindOf(int64_t type) {
  for (const KindRow& row : kKinds) {
    if (row.type == type) return row.kind;
  }
  return ForeignKind::kNone;
}

// kNone for a field that has no value.
ForeignKind KindOfField(int field) {
  for (const KindRow& row : kKinds) {
    if (row.field == field) return row.kind;
  }
  return ForeignKind::kNone;
}

void SetValue(const WireScan& field, const HashMap<const char*, int>& blocks,
              ForeignAttr* attr) {
  std::vector<int64_t> integers;
  std::vector<float> floats;
  switch (attr->kind) {
    case ForeignKind::kFloat:
      attr->SetNumber(field.float_value());
      break;
    case ForeignKind::kLong:
      attr->SetInteger(field.integer());
      break;
    case ForeignKind::kText:
      attr->SetText(field.bytes());
      attr->present = true;
      break;
    case ForeignKind::kTensor:
      attr->in_file = field.bytes();
      attr->present = true;
      break;
    case ForeignKind::kBlock: {
      const auto found = blocks.find(field.bytes().data());
      attr->SetInteger(found == blocks.end() ? -1 : found->second);
      break;
    }
    case ForeignKind::kFloats:
      AddFloats(field, &floats);
      for (const float number : floats) attr->Add(number);
      break;
    case ForeignKind::kLongs:
      AddIntegers(field, &integers);
      for (const int64_t number : integers) attr->Add(number);
      break;
    case ForeignKind::kTexts:
      attr->AddText().assign(field.bytes());
      break;
    default:
      break;
  }
}

}  // namespace

void DecodeAttribute(std::string_view message,
                     const HashMap<const char*, int>& blocks,
                     ForeignAttr* attr) {
  attr->name = std::string(LastBytes(message, Field::kName));
  attr->reference = std::string(LastBytes(message, Field::kReference));
  attr->written_kind =
      static_cast<int32_t>(LastInteger(message, Field::kType, 0));
  attr->kind = KindOf(attr->written_kind);
  WireScan fields(message);
  while (fields.Next()) {
    const ForeignKind kind = KindOfField(fields.number());
    if (kind == ForeignKind::kNone) continue;
    if (attr->written_kind == 0) {
      attr->kind = kind;
      if (fields.number() == Field::kSparse) {
        attr->written_kind = Type::kSparse;
      }
    }
    if (attr->kind == kind) SetValue(fields, blocks, attr);
  }
  // A single value that is 0 or empty need not be written.
  if (attr->kind == ForeignKind::kLong && !attr->present) attr->SetInteger(0);
  if (attr->kind == ForeignKind::kFloat && !attr->present) attr->SetNumber(0);
  if (attr->kind == ForeignKind::kText) attr->present = true;
}

std::string_view PlainDomain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

std::string FunctionKey(std::string_view domain, std::string_view name,
                        std::string_view overload) {
  return absl::StrCat(std::string(PlainDomain(domain)), "\n", std::string(name),
                      "\n", std::string(overload));
}

void DecodeNode(std::string_view node, const HashMap<const char*, int>& blocks,
                ForeignOperator* op) {
  op->Clear();
  ForeignSlot& inputs = op->inputs.Add();
  ForeignSlot& outputs = op->outputs.Add();
  WireScan fields(node);
  while (fields.Next()) {
    switch (fields.number()) {
      case onnx::Node::kInput:
        inputs.variables.Add().assign(fields.bytes());
        break;
      case onnx::Node::kOutput:
        outputs.variables.Add().assign(fields.bytes());
        break;
      case onnx::Node::kName:
        op->label.assign(fields.bytes());
        break;
      case onnx::Node::kOpType:
        op->type.assign(fields.bytes());
        break;
      case onnx::Node::kDomain:
        op->domain.assign(PlainDomain(fields.bytes()));
        break;
      case onnx::Node::kOverload:
        op->overload.assign(fields.bytes());
        break;
      case onnx::Node::kAttribute:
        DecodeAttribute(fields.bytes(), blocks, &op->attrs.Add());
        break;
      default:
        break;
    }
  }
}

}  // namespace switchyard::static_graph
