// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_desc/decode_operator.h"

#include <complex>
#include <cstring>

#include "static_graph/foreign/paddle_desc/program_desc.h"
#include "static_graph/foreign/paddle_desc/sound_fields.h"

namespace switchyard::static_graph {
namespace {

using translate::OpDesc;
using Attr = OpDesc::Attr;

// Returns the number of `bytes`, which are as many as T has.
template <typename T>
T Fixed(std::string_view bytes) {
  T value = 0;
  if (bytes.size() == sizeof(T)) std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

ForeignKind KindOf(int32_t written) {
  switch (static_cast<AttributeKind>(written)) {
    case AttributeKind::kInt:
      return ForeignKind::kInt;
    case AttributeKind::kFloat:
      return ForeignKind::kFloat;
    case AttributeKind::kString:
      return ForeignKind::kText;
    case AttributeKind::kInts:
      return ForeignKind::kInts;
    case AttributeKind::kFloats:
      return ForeignKind::kFloats;
    case AttributeKind::kStrings:
      return ForeignKind::kTexts;
    case AttributeKind::kBool:
      return ForeignKind::kBool;
    case AttributeKind::kBools:
      return ForeignKind::kBools;
    case AttributeKind::kBlock:
      return ForeignKind::kBlock;
    case AttributeKind::kLong:
      return ForeignKind::kLong;
    case AttributeKind::kLongs:
      return ForeignKind::kLongs;
    case AttributeKind::kDoubles:
      return ForeignKind::kDoubles;
    case AttributeKind::kDouble:
      return ForeignKind::kDouble;
    case AttributeKind::kScalar:
      return ForeignKind::kScalar;
    case AttributeKind::kScalars:
      return ForeignKind::kScalars;
    case AttributeKind::kBlocks:
      return ForeignKind::kBlocks;
  }
  return ForeignKind::kNone;
}

// Adds the elements of a list of integers: one, or those of a packed list.
template <typename T>
void AddIntegers(const SoundFields& field, ForeignAttr* attr) {
  if (field.IsVarint()) attr->Add(static_cast<T>(field.varint()));
  if (!field.IsBytes()) return;
  SoundFields packed(field.bytes());
  while (!packed.at_end()) attr->Add(static_cast<T>(packed.Varint()));
}

template <>
void AddIntegers<bool>(const SoundFields& field, ForeignAttr* attr) {
  if (field.IsVarint()) attr->Add(field.varint() != 0);
  if (!field.IsBytes()) return;
  SoundFields packed(field.bytes());
  while (!packed.at_end()) attr->Add(packed.Varint() != 0);
}

template <typename T>
void AddFloats(const SoundFields& field, bool one, ForeignAttr* attr) {
  const std::string_view bytes = field.bytes();
  if (!one && !field.IsBytes()) return;
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    attr->Add(Fixed<T>(bytes.substr(at, sizeof(T))));
  }
}

// A scalar of the file, whose parts may come in any order.
struct ScalarParts {
  int32_t type = 0;
  bool flag = false;
  int64_t integer = 0;
  double real = 0;
  double complex_real = 0;
  double complex_imag = 0;

  void Merge(std::string_view bytes);
};

void ScalarParts::Merge(std::string_view bytes) {
  using translate::Scalar;
  SoundFields fields(bytes);
  while (fields.Next()) {
    const int number = fields.number();
    if (number == Scalar::kTypeFieldNumber && fields.IsVarint()) {
      type = static_cast<int32_t>(fields.varint());
    } else if (number == Scalar::kBFieldNumber && fields.IsVarint()) {
      flag = fields.varint() != 0;
    } else if (number == Scalar::kIFieldNumber && fields.IsVarint()) {
      integer = static_cast<int64_t>(fields.varint());
    } else if (number == Scalar::kRFieldNumber && fields.IsFixed64()) {
      real = Fixed<double>(fields.bytes());
    } else if (number == Scalar::kCFieldNumber && fields.IsBytes()) {
      SoundFields parts(fields.bytes());
      while (parts.Next()) {
        if (!parts.IsFixed64()) continue;
        const double value = Fixed<double>(parts.bytes());
        if (parts.number() == Scalar::Complex::kRFieldNumber) {
          complex_real = value;
        } else if (parts.number() == Scalar::Complex::kIFieldNumber) {
          complex_imag = value;
        }
      }
    }
  }
}

void AddScalar(const ScalarParts& parts, ForeignAttr* attr) {
  switch (static_cast<ScalarKind>(parts.type)) {
    case ScalarKind::kBool:
      return attr->Add(Scalar(parts.flag));
    case ScalarKind::kLong:
      return attr->Add(Scalar(parts.integer));
    case ScalarKind::kDouble:
      return attr->Add(Scalar(parts.real));
    case ScalarKind::kComplex:
      return attr->Add(
          Scalar(std::complex<double>(parts.complex_real, parts.complex_imag)));
  }
  if (attr->must_be != nullptr) return;  // The first one counts.
  attr->must_be = "of numbers of type 1 to 4";
  attr->got = parts.type;
}

// Reads a single value.
void DecodeSingle(const SoundFields& field, ForeignAttr* attr) {
  const int number = field.number();
  switch (attr->kind) {
    case ForeignKind::kInt:
      if (number == Attr::kIFieldNumber && field.IsVarint()) {
        attr->SetInteger(static_cast<int32_t>(field.varint()));
      }
      break;
    case ForeignKind::kBlock:
      if (number == Attr::kBlockIdxFieldNumber && field.IsVarint()) {
        attr->SetInteger(static_cast<int32_t>(field.varint()));
      }
      break;
    case ForeignKind::kLong:
      if (number == Attr::kLFieldNumber && field.IsVarint()) {
        attr->SetInteger(static_cast<int64_t>(field.varint()));
      }
      break;
    case ForeignKind::kBool:
      if (number == Attr::kBFieldNumber && field.IsVarint()) {
        attr->SetInteger(field.varint() != 0 ? 1 : 0);
      }
      break;
    case ForeignKind::kFloat:
      if (number == Attr::kFFieldNumber && field.IsFixed32()) {
        attr->SetNumber(Fixed<float>(field.bytes()));
      }
      break;
    case ForeignKind::kDouble:
      if (number == Attr::kFloat64FieldNumber && field.IsFixed64()) {
        attr->SetNumber(Fixed<double>(field.bytes()));
      }
      break;
    case ForeignKind::kText:
      if (number == Attr::kSFieldNumber && field.IsBytes()) {
        attr->SetText(field.bytes());
        attr->present = true;
      }
      break;
    default:
      break;
  }
}

// Reads elements of a list.
void DecodeElements(const SoundFields& field, ForeignAttr* attr) {
  const int number = field.number();
  switch (attr->kind) {
    case ForeignKind::kInts:
      if (number == Attr::kIntsFieldNumber) AddIntegers<int32_t>(field, attr);
      break;
    case ForeignKind::kLongs:
      if (number == Attr::kLongsFieldNumber) AddIntegers<int64_t>(field, attr);
      break;
    case ForeignKind::kBools:
      if (number == Attr::kBoolsFieldNumber) AddIntegers<bool>(field, attr);
      break;
    case ForeignKind::kFloats:
      if (number == Attr::kFloatsFieldNumber) {
        AddFloats<float>(field, field.IsFixed32(), attr);
      }
      break;
    case ForeignKind::kDoubles:
      if (number == Attr::kFloat64SFieldNumber) {
        AddFloats<double>(field, field.IsFixed64(), attr);
      }
      break;
    case ForeignKind::kTexts:
      if (number == Attr::kStringsFieldNumber && field.IsBytes()) {
        attr->AddText().assign(field.bytes());
      }
      break;
    case ForeignKind::kScalars:
      if (number == Attr::kScalarsFieldNumber && field.IsBytes()) {
        ScalarParts parts;
        parts.Merge(field.bytes());
        AddScalar(parts, attr);
      }
      break;
    default:
      break;
  }
}

// Reads the values of an attribute whose kind is known.
void DecodeValues(std::string_view bytes, ForeignAttr* attr) {
  ScalarParts scalar;
  SoundFields fields(bytes);
  while (fields.Next()) {
    if (fields.number() == Attr::kScalarFieldNumber && fields.IsBytes()) {
      scalar.Merge(fields.bytes());
    } else if (fields.number() > Attr::kTypeFieldNumber) {
      DecodeSingle(fields, attr);
      DecodeElements(fields, attr);
    }
  }
  if (attr->kind == ForeignKind::kScalar) AddScalar(scalar, attr);
}

void DecodeAttribute(std::string_view bytes, ForeignAttr* attr) {
  SoundFields fields(bytes);
  std::string_view rest = bytes;
  // Nearly always name and kind, which says which field counts, are the first.
  bool values = false;
  while (fields.Next()) {
    if (fields.number() == Attr::kNameFieldNumber && fields.IsBytes()) {
      attr->name.assign(fields.bytes());
    } else if (fields.number() == Attr::kTypeFieldNumber && fields.IsVarint()) {
      attr->written_kind = static_cast<int32_t>(fields.varint());
      if (!values) rest = fields.rest();
    } else {
      values = true;
    }
  }
  attr->kind = KindOf(attr->written_kind);
  DecodeValues(rest, attr);
}

void DecodeSlot(std::string_view bytes, ForeignSlot* slot) {
  SoundFields fields(bytes);
  while (fields.Next()) {
    if (!fields.IsBytes()) continue;
    if (fields.number() == OpDesc::Var::kParameterFieldNumber) {
      slot->name.assign(fields.bytes());
    } else if (fields.number() == OpDesc::Var::kArgumentsFieldNumber) {
      slot->variables.Add().assign(fields.bytes());
    }
  }
}

// Lists that grow are held twice meanwhile, which counts for large ones.
void Reserve(std::string_view bytes, ForeignOperator* op) {
  size_t inputs = 0, outputs = 0, attrs = 0;
  SoundFields fields(bytes);
  while (fields.Next()) {
    if (fields.number() == OpDesc::kInputsFieldNumber) ++inputs;
    if (fields.number() == OpDesc::kOutputsFieldNumber) ++outputs;
    if (fields.number() == OpDesc::kAttrsFieldNumber) ++attrs;
  }
  op->inputs.Reserve(inputs);
  op->outputs.Reserve(outputs);
  op->attrs.Reserve(attrs);
}

}  // namespace

void DecodeOperator(std::string_view bytes, ForeignOperator* op) {
  constexpr size_t kLarge = 1 << 12;
  op->Clear();
  if (bytes.size() > kLarge) Reserve(bytes, op);
  SoundFields fields(bytes);
  while (fields.Next()) {
    if (!fields.IsBytes()) continue;
    switch (fields.number()) {
      case OpDesc::kInputsFieldNumber:
        DecodeSlot(fields.bytes(), &op->inputs.Add());
        break;
      case OpDesc::kOutputsFieldNumber:
        DecodeSlot(fields.bytes(), &op->outputs.Add());
        break;
      case OpDesc::kTypeFieldNumber:
        op->type.assign(fields.bytes());
        break;
      case OpDesc::kAttrsFieldNumber:
        DecodeAttribute(fields.bytes(), &op->attrs.Add());
        break;
      default:
        break;
    }
  }
}

}  // namespace switchyard::static_graph
