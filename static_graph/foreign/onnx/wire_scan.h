// SPDX-License-Identifier: Apache-2.0
// WireScan: the fields of a protobuf message, one after the other, in memory of
// any size. Protobuf's own streams end at 2 GiB.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_WIRE_SCAN_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_WIRE_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace switchyard::static_graph {

// Steps over the fields of a message, whose bytes outlive it. Nothing is copied
// or allocated; a length beyond the message is the end and not sound().
class WireScan {
 public:
  explicit WireScan(std::string_view message) : left_(message) {}

  // Moves to the next field. Returns false at the end of the message, and where
  // its bytes are no field.
  bool Next();
  // Returns false once bytes were no field.
  bool sound() const { return sound_; }

  int number() const { return number_; }
  bool IsNumber() const { return type_ != kBytes; }
  bool IsBytes() const { return type_ == kBytes; }
  // Return the contents of a field that is no IsBytes(): of a varint, and of
  // four or eight bytes.
  uint64_t number_value() const { return value_; }
  int64_t integer() const { return static_cast<int64_t>(value_); }
  float float_value() const;
  double double_value() const;
  // Returns the contents of a field that IsBytes(): a text, a message or a
  // packed list.
  std::string_view bytes() const { return bytes_; }

 private:
  enum Type : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  bool ReadVarint(uint64_t* value);
  bool ReadFixed(size_t size);
  bool ReadBytes();

  std::string_view left_;
  bool sound_ = true;
  int number_ = 0;
  uint8_t type_ = kVarint;
  uint64_t value_ = 0;
  std::string_view bytes_;
};

// Returns the contents of the last field of that number that is bytes; empty if
// there is none.
std::string_view LastBytes(std::string_view message, int number);
// Returns the last number of that field; `none` if there is none.
int64_t LastInteger(std::string_view message, int number, int64_t none);

// Adds the numbers of the field that the scan is at, packed or one by one, to
// `list`. Returns false if the bytes are none. Varints, or pieces of four or
// eight bytes.
bool AddIntegers(const WireScan& field, std::vector<int64_t>* list);
bool AddFloats(const WireScan& field, std::vector<float>* list);
bool AddDoubles(const WireScan& field, std::vector<double>* list);

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_ONNX_WIRE_SCAN_H_
