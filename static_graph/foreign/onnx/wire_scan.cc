// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/onnx/wire_scan.h"

#include <cstring>

namespace switchyard::static_graph {
namespace {

constexpr int kTypeBits = 3;
constexpr int kVarintBits = 7;
constexpr int kMostVarintBits = 63;
constexpr uint64_t kMaxNumber = (1 << 29) - 1;

// Adds the elements of a packed list, which lie as they do in memory.
template <typename T>
bool AddPacked(std::string_view bytes, std::vector<T>* list) {
  if (bytes.size() % sizeof(T) != 0) return false;
  const size_t before = list->size();
  list->resize(before + bytes.size() / sizeof(T));
  if (!bytes.empty()) {
    std::memcpy(list->data() + before, bytes.data(), bytes.size());
  }
  return true;
}

}  // namespace

bool WireScan::ReadVarint(uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift <= kMostVarintBits; shift += kVarintBits) {
    if (left_.empty()) return false;
    const auto byte = static_cast<uint8_t>(left_.front());
    left_.remove_prefix(1);
    *value |= uint64_t{byte & 0x7Fu} << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

bool WireScan::ReadFixed(size_t size) {
  if (left_.size() < size) return false;
  value_ = 0;
  std::memcpy(&value_, left_.data(), size);
  left_.remove_prefix(size);
  return true;
}

bool WireScan::ReadBytes() {
  uint64_t size = 0;
  if (!ReadVarint(&size) || size > left_.size()) return false;
  bytes_ = left_.substr(0, size);
  left_.remove_prefix(size);
  return true;
}

bool WireScan::Next() {
  if (left_.empty() || !sound_) return false;
  uint64_t tag = 0;
  sound_ = ReadVarint(&tag);
  const uint64_t number = tag >> kTypeBits;
  type_ = static_cast<uint8_t>(tag & ((1 << kTypeBits) - 1));
  sound_ = sound_ && number > 0 && number <= kMaxNumber;
  number_ = sound_ ? static_cast<int>(number) : 0;
  if (!sound_) return false;
  switch (type_) {
    case kVarint:
      sound_ = ReadVarint(&value_);
      break;
    case kFixed64:
      sound_ = ReadFixed(sizeof(uint64_t));
      break;
    case kFixed32:
      sound_ = ReadFixed(sizeof(uint32_t));
      break;
    case kBytes:
      sound_ = ReadBytes();
      break;
    default:
      sound_ = false;
  }
  return sound_;
}

float WireScan::float_value() const {
  const auto bits = static_cast<uint32_t>(value_);
  float value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

double WireScan::double_value() const {
  double value = 0;
  std::memcpy(&value, &value_, sizeof(value));
  return value;
}

std::string_view LastBytes(std::string_view message, int number) {
  std::string_view found;
  WireScan fields(message);
  while (fields.Next()) {
    if (fields.number() == number && fields.IsBytes()) found = fields.bytes();
  }
  return found;
}

int64_t LastInteger(std::string_view message, int number, int64_t none) {
  int64_t found = none;
  WireScan fields(message);
  while (fields.Next()) {
    if (fields.number() == number && fields.IsNumber()) {
      found = fields.integer();
    }
  }
  return found;
}

bool AddIntegers(const WireScan& field, std::vector<int64_t>* list) {
  if (field.IsNumber()) {
    list->push_back(field.integer());
    return true;
  }
  // Each number of a packed list looks like a field that is one.
  std::string_view left = field.bytes();
  while (!left.empty()) {
    uint64_t value = 0;
    int shift = 0;
    bool ended = false;
    while (!ended && !left.empty() && shift <= kMostVarintBits) {
      const auto byte = static_cast<uint8_t>(left.front());
      left.remove_prefix(1);
      value |= uint64_t{byte & 0x7Fu} << shift;
      shift += kVarintBits;
      ended = (byte & 0x80) == 0;
    }
    if (!ended) return false;
    list->push_back(static_cast<int64_t>(value));
  }
  return true;
}

bool AddFloats(const WireScan& field, std::vector<float>* list) {
  if (field.IsBytes()) return AddPacked(field.bytes(), list);
  list->push_back(field.float_value());
  return true;
}

bool AddDoubles(const WireScan& field, std::vector<double>* list) {
  if (field.IsBytes()) return AddPacked(field.bytes(), list);
  list->push_back(field.double_value());
  return true;
}

}  // namespace switchyard::static_graph
