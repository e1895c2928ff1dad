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

// The kind of an attribute's type; kNone for one that has no values here.
ForeignKind KindOf(int64_t type) {
  switch (type) {
    case Type::kFloat:
      return ForeignKind::kFloat;
    case Type::kInt:
      return ForeignKind::kLong;
    case Type::kText:
      return ForeignKind::kText;
    case Type::kTensor:
    case Type::kSparse:
      return ForeignKind::kTensor;
    case Type::kGraph:
      return ForeignKind::kBlock;
    case Type::kFloats:
      return ForeignKind::kFloats;
    case Type::kInts:
      return ForeignKind::kLongs;
    case Type::kTexts:
      return ForeignKind::kTexts;
    default:
      return ForeignKind::kNone;
  }
}

// The kind that the field with an attribute's value has: old writers leave the
// type out.
ForeignKind KindOfField(int number) {
  switch (number) {
    case Field::kFloat:
      return ForeignKind::kFloat;
    case Field::kInt:
      return ForeignKind::kLong;
    case Field::kText:
      return ForeignKind::kText;
    case Field::kTensor:
    case Field::kSparse:
      return ForeignKind::kTensor;
    case Field::kGraph:
      return ForeignKind::kBlock;
    case Field::kFloats:
      return ForeignKind::kFloats;
    case Field::kInts:
      return ForeignKind::kLongs;
    case Field::kTexts:
      return ForeignKind::kTexts;
    default:
      return ForeignKind::kNone;
  }
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
