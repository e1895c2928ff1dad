// SPDX-License-Identifier: Apache-2.0
// WireFields: the fields of a protobuf message, one after the other, without
// the message. LastText: one of them.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_WIRE_FIELDS_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_WIRE_FIELDS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/wire_format_lite.h"

namespace switchyard::static_graph {

// Steps over the fields of a message, whose bytes outlive it. Nothing is
// allocated, whatever the bytes say: a length beyond the message is an error.
class WireFields {
 public:
  using Type = google::protobuf::internal::WireFormatLite::WireType;

  explicit WireFields(std::string_view message);

  // Moves to the next field. Returns false at the end of the message, and where
  // its bytes are no field.
  bool Next();
  // Returns false once bytes were no field.
  bool sound() const { return sound_; }

  int number() const { return number_; }
  // Returns where the field ends, in the message.
  size_t end() const { return static_cast<size_t>(input_.CurrentPosition()); }
  bool IsVarint() const { return type_ == Type::WIRETYPE_VARINT; }
  bool IsBytes() const { return type_ == Type::WIRETYPE_LENGTH_DELIMITED; }
  // Returns the number of a field that IsVarint().
  uint64_t varint() const { return varint_; }
  // Returns the contents of a field that IsBytes(): of a text, a message or a
  // packed list.
  std::string_view bytes() const { return bytes_; }
  // Returns where the length of bytes() is, right before them.
  const char* length() const { return length_; }

 private:
  bool ReadValue(uint32_t tag);

  std::string_view message_;
  google::protobuf::io::CodedInputStream input_;
  bool sound_ = true;
  int number_ = 0;
  Type type_ = Type::WIRETYPE_VARINT;
  uint64_t varint_ = 0;
  std::string_view bytes_;
  const char* length_ = nullptr;
};

// Returns the text or the message of the last field of that number, in
// `message` itself; null if there is none. `length`, unless it is null, becomes
// where its length is.
std::string_view LastText(std::string_view message, int number,
                          const char** length = nullptr);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PADDLE_DESC_WIRE_FIELDS_H_
