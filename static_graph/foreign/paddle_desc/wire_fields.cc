// SPDX-License-Identifier: Apache-2.0
#include "static_graph/foreign/paddle_desc/wire_fields.h"

namespace switchyard::static_graph {

using google::protobuf::internal::WireFormatLite;

WireFields::WireFields(std::string_view message)
    : message_(message),
      input_(reinterpret_cast<const uint8_t*>(message.data()),
             static_cast<int>(message.size())) {}

bool WireFields::Next() {
  const uint32_t tag = input_.ReadTag();
  if (tag == 0) {
    sound_ = sound_ && input_.ConsumedEntireMessage();
    return false;
  }
  number_ = WireFormatLite::GetTagFieldNumber(tag);
  type_ = WireFormatLite::GetTagWireType(tag);
  sound_ = number_ > 0 && ReadValue(tag);
  return sound_;
}

bool WireFields::ReadValue(uint32_t tag) {
  if (IsVarint()) return input_.ReadVarint64(&varint_);
  if (!IsBytes()) return WireFormatLite::SkipField(&input_, tag);
  length_ = message_.data() + input_.CurrentPosition();
  uint32_t size = 0;
  if (!input_.ReadVarint32(&size)) return false;
  const auto begin = static_cast<size_t>(input_.CurrentPosition());
  if (size > message_.size() - begin) return false;
  bytes_ = message_.substr(begin, size);
  return input_.Skip(static_cast<int>(size));
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
