// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/message_size.h"

#include <algorithm>
#include <string>

#include "static_graph/translate/program_desc.pb.h"
#include "static_graph/translate/wire_fields.h"

namespace switchyard::static_graph {
namespace {

using translate::OpDesc;

// A repeated field of messages or texts has a pointer to each.
template <typename Element>
constexpr size_t kElementSize = sizeof(Element) + sizeof(Element*);

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
      size += kElementSize<std::string>;
    }
  }
  return size;
}

// Returns the size of a number in a list of that field; 0 for other fields.
size_t NumberSize(int field) {
  switch (field) {
    case OpDesc::Attr::kBoolsFieldNumber:
      return sizeof(bool);
    case OpDesc::Attr::kIntsFieldNumber:
    case OpDesc::Attr::kBlocksIdxFieldNumber:
      return sizeof(int32_t);
    case OpDesc::Attr::kLongsFieldNumber:
      return sizeof(int64_t);
    default:
      return 0;  // Numbers of floating point are as large in the file.
  }
}

size_t AttributeSize(std::string_view bytes) {
  size_t size = kElementSize<OpDesc::Attr>;
  WireFields fields(bytes);
  while (fields.Next()) {
    if (fields.number() == OpDesc::Attr::kStringsFieldNumber) {
      size += kElementSize<std::string>;
    } else if (fields.number() == OpDesc::Attr::kScalarsFieldNumber) {
      size += kElementSize<translate::Scalar>;
    } else {
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
