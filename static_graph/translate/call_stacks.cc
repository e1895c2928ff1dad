// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/call_stacks.h"

#include <cstdint>
#include <optional>

#include "static_graph/translate/program_desc.pb.h"

namespace switchyard::static_graph {
namespace {

using translate::OpDesc;

constexpr std::string_view kCallStack = "op_callstack";

// A field of a message in protobuf's encoding.
struct Field {
  uint64_t number = 0;
  int wire = 0;
  std::string_view whole;  // Its tag and all.
  std::string_view value;  // Of a field with a length: what has it.
};

constexpr int kVarint = 0;
constexpr int kWithLength = 2;

// Takes the fields of a message one by one.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : left_(bytes) {}

  std::string_view left() const { return left_; }

  // Returns the next field, and nothing at the end or where there is none of
  // these kinds, which are all that a program is written with.
  std::optional<Field> Next() {
    std::string_view rest = left_;
    Field field;
    uint64_t tag = 0;
    if (!TakeVarint(&rest, &tag)) return std::nullopt;
    field.number = tag >> 3;
    field.wire = static_cast<int>(tag & 7);
    uint64_t size = 0;
    switch (field.wire) {
      case kVarint:
        if (!TakeVarint(&rest, &size)) return std::nullopt;
        size = 0;
        break;
      case 1:
        size = 8;
        break;
      case kWithLength:
        if (!TakeVarint(&rest, &size)) return std::nullopt;
        break;
      case 5:
        size = 4;
        break;
      default:
        return std::nullopt;
    }
    if (size > rest.size()) return std::nullopt;
    field.value = rest.substr(0, static_cast<size_t>(size));
    rest.remove_prefix(static_cast<size_t>(size));
    field.whole = left_.substr(0, left_.size() - rest.size());
    left_ = rest;
    return field;
  }

 private:
  static bool TakeVarint(std::string_view* rest, uint64_t* number) {
    *number = 0;
    for (int shift = 0; shift < 64 && !rest->empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest->front());
      rest->remove_prefix(1);
      *number |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

  std::string_view left_;
};

// Whether an attribute is kCallStack, a list of texts.
bool IsCallStack(std::string_view attribute) {
  FieldReader reader(attribute);
  bool named = false;
  while (const std::optional<Field> field = reader.Next()) {
    if (field->number == OpDesc::Attr::kNameFieldNumber &&
        field->wire == kWithLength) {
      if (field->value != kCallStack) return false;
      named = true;
    } else if ((field->number != OpDesc::Attr::kTypeFieldNumber ||
                field->wire != kVarint) &&
               (field->number != OpDesc::Attr::kStringsFieldNumber ||
                field->wire != kWithLength)) {
      return false;
    }
  }
  return named && reader.left().empty();
}

void AppendVarint(uint64_t number, std::string* to) {
  for (; number >= 0x80; number >>= 7) {
    to->push_back(static_cast<char>(number | 0x80));
  }
  to->push_back(static_cast<char>(number));
}

void AppendField(uint64_t number, std::string_view value, std::string* to) {
  AppendVarint(number << 3 | kWithLength, to);
  AppendVarint(value.size(), to);
  to->append(value);
}

// Appends a message, in which `rewrite` writes the fields `number` that have a
// length.
template <typename Rewrite>
void AppendMessage(std::string_view bytes, int number, Rewrite rewrite,
                   std::string* to) {
  FieldReader reader(bytes);
  while (const std::optional<Field> field = reader.Next()) {
    if (field->number == static_cast<uint64_t>(number) &&
        field->wire == kWithLength) {
      rewrite(*field);
    } else {
      to->append(field->whole);
    }
  }
  to->append(reader.left());
}

void AppendOperator(std::string_view bytes, std::string* to) {
  AppendMessage(
      bytes, OpDesc::kAttrsFieldNumber,
      [&](const Field& attribute) {
        if (!IsCallStack(attribute.value)) to->append(attribute.whole);
      },
      to);
}

void AppendBlock(std::string_view bytes, std::string* to) {
  std::string op;
  AppendMessage(
      bytes, translate::BlockDesc::kOpsFieldNumber,
      [&](const Field& field) {
        op.clear();
        AppendOperator(field.value, &op);
        AppendField(field.number, op, to);
      },
      to);
}

}  // namespace

std::string WithoutCallStacks(std::string_view bytes) {
  std::string program;
  std::string block;
  AppendMessage(
      bytes, translate::ProgramDesc::kBlocksFieldNumber,
      [&](const Field& field) {
        block.clear();
        AppendBlock(field.value, &block);
        AppendField(field.number, block, &program);
      },
      &program);
  return program;
}

}  // namespace switchyard::static_graph
