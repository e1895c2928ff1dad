// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_desc/message_size.h"

#include <algorithm>
#include <string>

#include "static_graph/foreign/paddle_desc/program_desc.pb.h"
#include "static_graph/foreign/paddle_desc/wire_fields.h"

namespace switchyard::static_graph {
namespace {

using translate::OpDesc;

// A repeated field of messages or texts has a pointer to each.
template <typename Element>
constexpr size_t kElementSize = sizeof(Element) + sizeof(Element*);

// The operation holds this for an argument: the value, where it comes from, its
// use.
constexpr size_t kOperand = 96;
// How often the translation holds a list of an attribute, as 64-bit numbers or
// as texts.
constexpr size_t kCopies = 2;
constexpr size_t kScalar = 32;

// Returns the number of varints in a packed list: each ends with a byte whose
// highest bit is not set.
size_t CountVarints(std::string_view list) {
  return static_cast<size_t>(
      std::count_if(list.begin(), list.end(), [](char byte) {
        return (static_cast<unsigned char>(byte) & 0x80u) == 0;
      }));
}

size_t SlotSize(std::string_view bytes) {
  size_t size = kElementSize<OpDesc::Var>;
  WireFields fields(bytes);
  while (fields.Next()) {
    if (fields.number() == OpDesc::Var::kArgumentsFieldNumber) {
      size += kElementSize<std::string> + kOperand;
    }
  }
  return size;
}

// Returns the size of a number in a list of that field; 0 for other fields.
size_t NumberSize(int field) {
  constexpr size_t kCopied = kCopies * sizeof(int64_t);
  switch (field) {
    case OpDesc::Attr::kBoolsFieldNumber:
      return sizeof(bool) + kCopied;
    case OpDesc::Attr::kIntsFieldNumber:
    case OpDesc::Attr::kBlocksIdxFieldNumber:
      return sizeof(int32_t) + kCopied;
    case OpDesc::Attr::kLongsFieldNumber:
      return sizeof(int64_t) + kCopied;
    default:
      return 0;
  }
}

// Returns the bytes of a field of numbers of floating point, of which a list
// has as many in the message as in the file.
size_t FloatingSize(const WireFields& field) {
  const bool floats = field.number() == OpDesc::Attr::kFloatsFieldNumber;
  if (!floats && field.number() != OpDesc::Attr::kFloat64SFieldNumber) return 0;
  const size_t one = floats ? sizeof(float) : sizeof(double);
  return (1 + kCopies) * (field.IsBytes() ? field.bytes().size() : one);
}

size_t AttributeSize(std::string_view bytes) {
  size_t size = kElementSize<OpDesc::Attr>;
  WireFields fields(bytes);
  while (fields.Next()) {
    if (fields.number() == OpDesc::Attr::kStringsFieldNumber) {
      size += kElementSize<std::string> + kCopies * sizeof(std::string) +
              kCopies * (fields.IsBytes() ? fields.bytes().size() : 0);
    } else if (fields.number() == OpDesc::Attr::kScalarsFieldNumber) {
      size += kElementSize<translate::Scalar> + kCopies * kScalar;
    } else {
      size += FloatingSize(fields);
      size += NumberSize(fields.number()) *
              (fields.IsBytes() ? CountVarints(fields.bytes()) : 1);
    }
  }
  return size;
}

}  // namespace

size_t OperatorSize(std::string_view bytes) {
  size_t size = 0;
  WireFields fields(bytes);
  while (fields.Next()) {
    if (!fields.IsBytes()) continue;
    switch (fields.number()) {
      case OpDesc::kInputsFieldNumber:
      case OpDesc::kOutputsFieldNumber:
        size += SlotSize(fields.bytes());
        break;
      case OpDesc::kAttrsFieldNumber:
        size += AttributeSize(fields.bytes());
        break;
      default:
        break;
    }
  }
  return size;
}

}  // namespace switchyard::static_graph
