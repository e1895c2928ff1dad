// SPDX-License-Identifier: Apache-2.0
// SoundFields: the fields of a message that protobuf has parsed before, for
// reading it again and again. Others are read by
// static_graph/foreign/paddle_desc/wire_fields.h, which checks each.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_SOUND_FIELDS_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_SOUND_FIELDS_H_

#include <cstdint>
#include <string_view>

namespace switchyard::static_graph {

// Steps over the fields of a message that was parsed before, and so is sound:
// it tells no errors, and reads no byte beyond the end.
class SoundFields {
 public:
  explicit SoundFields(std::string_view message)
      : at_(message.data()), end_(message.data() + message.size()) {}

  // Moves to the next field. Returns false at the end.
  bool Next() {
    while (at_ != end_) {
      const uint64_t tag = Varint();
      number_ = static_cast<int>(tag >> kTypeBits);
      type_ = static_cast<Type>(tag & ((1u << kTypeBits) - 1));
      if (type_ != Type::kGroup) return Step(type_);
      SkipGroup();  // Nothing of ours is one.
    }
    return false;
  }

  int number() const { return number_; }
  bool IsVarint() const { return type_ == Type::kVarint; }
  bool IsBytes() const { return type_ == Type::kBytes; }
  bool IsFixed32() const { return type_ == Type::kFixed32; }
  bool IsFixed64() const { return type_ == Type::kFixed64; }
  uint64_t varint() const { return varint_; }
  std::string_view bytes() const { return bytes_; }

  // Returns the next varint of the bytes that are left, as of a packed list.
  uint64_t Varint() {
    constexpr unsigned kBits = 7;
    constexpr unsigned kMore = 1u << kBits;
    uint64_t value = 0;
    for (unsigned shift = 0; at_ != end_; shift += kBits) {
      const auto byte = static_cast<unsigned char>(*at_++);
      if (shift < 64) value |= uint64_t{byte & (kMore - 1)} << shift;
      if ((byte & kMore) == 0) break;
    }
    return value;
  }
  bool at_end() const { return at_ == end_; }
  // Returns the bytes after the field.
  std::string_view rest() const {
    return std::string_view(at_, static_cast<size_t>(end_ - at_));
  }

 private:
  enum class Type : uint8_t {
    kVarint = 0,
    kFixed64 = 1,
    kBytes = 2,
    kGroup = 3,
    kEndOfGroup = 4,
    kFixed32 = 5,
  };
  static constexpr unsigned kTypeBits = 3;

  bool Step(Type type) {
    switch (type) {
      case Type::kVarint:
        varint_ = Varint();
        break;
      case Type::kFixed64:
        Take(sizeof(uint64_t));
        break;
      case Type::kFixed32:
        Take(sizeof(uint32_t));
        break;
      case Type::kBytes:
        Take(Varint());
        break;
      default:
        break;
    }
    return true;
  }
  void Take(uint64_t size) {
    const auto left = static_cast<uint64_t>(end_ - at_);
    if (size > left) size = left;
    bytes_ = std::string_view(at_, static_cast<size_t>(size));
    at_ += size;
  }
  void SkipGroup() {
    for (int depth = 1; depth > 0 && at_ != end_;) {
      const auto type = static_cast<Type>(Varint() & ((1u << kTypeBits) - 1));
      if (type == Type::kGroup) ++depth;
      if (type == Type::kEndOfGroup) --depth;
      Step(type);
    }
  }

  const char* at_;
  const char* end_;
  int number_ = 0;
  Type type_ = Type::kVarint;
  uint64_t varint_ = 0;
  std::string_view bytes_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_SOUND_FIELDS_H_
