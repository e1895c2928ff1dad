// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/onnx/wire_write.h"

#include <cstring>

namespace switchyard::static_graph {
namespace {

enum WireType : uint64_t { kVarint = 0, kBytes = 2, kFixed32 = 5 };

uint64_t Tag(int field, WireType type) {
  return static_cast<uint64_t>(field) << 3 | type;
}

}  // namespace

void WireWriter::Varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    bytes_.push_back(static_cast<char>(value | 0x80));
  }
  bytes_.push_back(static_cast<char>(value));
}

void WireWriter::Number(int field, int64_t value) {
  Varint(Tag(field, kVarint));
  Varint(static_cast<uint64_t>(value));
}

void WireWriter::Float(int field, float value) {
  Varint(Tag(field, kFixed32));
  char raw[sizeof(value)];
  std::memcpy(raw, &value, sizeof(value));
  bytes_.append(raw, sizeof(value));
}

void WireWriter::Bytes(int field, std::string_view bytes) {
  Head(field, bytes.size());
  bytes_.append(bytes);
}

void WireWriter::Head(int field, uint64_t size) {
  Varint(Tag(field, kBytes));
  Varint(size);
}

}  // namespace switchyard::static_graph
