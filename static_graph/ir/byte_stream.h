// SPDX-License-Identifier: Apache-2.0
// ByteWriter and ByteReader: little-endian numbers and counted strings in a
// byte string. The reader never reads past the end, whatever the input says.
#ifndef SWITCHYARD_STATIC_GRAPH_IR_BYTE_STREAM_H_
#define SWITCHYARD_STATIC_GRAPH_IR_BYTE_STREAM_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace switchyard::static_graph::ir {

// Writes a byte string, which it owns. One thread at a time.
class ByteWriter {
 public:
  // Write a number in four or eight bytes; append bytes as they are.
  void U32(uint32_t value) { Number(value, 4); }
  void U64(uint64_t value) { Number(value, 8); }
  void Bytes(std::string_view bytes) { bytes_.append(bytes); }
  // Writes the size (u64), then the bytes.
  void Counted(std::string_view bytes) {
    U64(bytes.size());
    Bytes(bytes);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void Number(uint64_t value, int size) {
    for (int i = 0; i < size; ++i) {
      bytes_.push_back(static_cast<char>(value >> (8 * i)));
    }
  }
  std::string bytes_;
};

// Reads a byte string, which outlives it. After the first read past the end
// ok() is false and everything reads as 0 or empty, so that a reader checks
// once, before it uses what it has read:
//   ir::ByteReader reader(bytes);
//   const uint64_t count = reader.U64();
//   const std::string_view name = reader.Counted();  // Points into `bytes`.
//   if (!reader.ok()) return FormatError("the file is cut short");
// A number may be anything: hold a count to the size of rest() before reserving
// memory for it.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  bool ok() const { return ok_; }
  // Return the part that is not read yet, and whether it is empty.
  bool at_end() const { return bytes_.empty(); }
  std::string_view rest() const { return bytes_; }

  uint32_t U32() { return static_cast<uint32_t>(Number(4)); }
  uint64_t U64() { return Number(8); }
  std::string_view Bytes(uint64_t size) {
    if (size > bytes_.size()) {
      ok_ = false;
      bytes_ = {};
      return {};
    }
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  std::string_view Counted() { return Bytes(U64()); }

 private:
  uint64_t Number(size_t size) {
    uint64_t value = 0;
    const std::string_view taken = Bytes(size);
    for (size_t i = 0; i < taken.size(); ++i) {
      value |= static_cast<uint64_t>(static_cast<uint8_t>(taken[i])) << (8 * i);
    }
    return value;
  }
  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace switchyard::static_graph::ir

#endif  // SWITCHYARD_STATIC_GRAPH_IR_BYTE_STREAM_H_
