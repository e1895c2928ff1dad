// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/wire_fields.h"

#include <limits>

#include "google/protobuf/io/coded_stream.h"

namespace switchyard::static_graph {

using google::protobuf::internal::WireFormatLite;

bool WireFields::Next() {
  if (next_ == message_.size()) return false;
  uint64_t read = 0;
  sound_ = ReadVarint(&read) && read <= std::numeric_limits<uint32_t>::max();
  if (!sound_) return false;
  const auto tag = static_cast<uint32_t>(read);
  number_ = WireFormatLite::GetTagFieldNumber(tag);
  type_ = WireFormatLite::GetTagWireType(tag);
  if (IsBytes()) {
    sound_ = ReadBytes();
  } else {
    sound_ = IsVarint() ? ReadVarint(&varint_) : ReadOther(tag);
  }
  sound_ = sound_ && number_ > 0;
  return sound_;
}

// Seven bits a byte, low ones first.
bool WireFields::ReadLongVarint(uint64_t* number) {
  constexpr unsigned kBits = 7;
  constexpr unsigned kMore = 1u << kBits;
  *number = 0;
  for (unsigned shift = 0;
       next_ < message_.size() && shift < std::numeric_limits<uint64_t>::digits;
       shift += kBits) {
    const auto byte = static_cast<unsigned char>(message_[next_++]);
    *number |= static_cast<uint64_t>(byte & (kMore - 1)) << shift;
    if ((byte & kMore) == 0) return true;
  }
  return false;
}

bool WireFields::Skip(uint64_t size) {
  if (size > message_.size() - next_) return false;
  next_ += size;
  return true;
}

bool WireFields::ReadBytes() {
  length_ = message_.data() + next_;
  uint64_t size = 0;
  if (!ReadVarint(&size)) return false;
  const size_t begin = next_;
  if (!Skip(size)) return false;
  bytes_ = std::string_view(message_.data() + begin, size);
  return true;
}

bool WireFields::ReadOther(uint32_t tag) {
  if (type_ == Type::WIRETYPE_FIXED32) return Skip(sizeof(uint32_t));
  if (type_ == Type::WIRETYPE_FIXED64) return Skip(sizeof(uint64_t));
  // A group, which no message of ours has.
  google::protobuf::io::CodedInputStream group(
      reinterpret_cast<const uint8_t*>(message_.data()) + next_,
      static_cast<int>(message_.size() - next_));
  return WireFormatLite::SkipField(&group, tag) &&
         Skip(static_cast<uint64_t>(group.CurrentPosition()));
}

std::string_view LastText(std::string_view message, int number,
                          const char** length) {
  std::string_view text;
  WireFields fields(message);
  while (fields.Next()) {
    if (fields.number() != number || !fields.IsBytes()) continue;
    text = fields.bytes();
    if (length != nullptr) *length = fields.length();
  }
  return text;
}

}  // namespace switchyard::static_graph
