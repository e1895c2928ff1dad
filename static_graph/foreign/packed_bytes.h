// SPDX-License-Identifier: Apache-2.0
// Values of a program in memory, one after the other, in as few bytes as they
// need.
#ifndef SWITCHYARD_STATIC_GRAPH_FOREIGN_PACKED_BYTES_H_
#define SWITCHYARD_STATIC_GRAPH_FOREIGN_PACKED_BYTES_H_

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace switchyard::static_graph {

// A number takes seven bits a byte, low ones first.
inline constexpr unsigned kPackedBits = 7;
inline constexpr unsigned kPackedMore = 1u << kPackedBits;

// Put a value at the end of `bytes`; Unpacker reads it by the function of its
// name. A number is small as a rule, a raw value takes its size.
inline void PutNumber(size_t number, std::string* bytes) {
  for (; number >= kPackedMore; number >>= kPackedBits) {
    bytes->push_back(
        static_cast<char>((number & (kPackedMore - 1)) | kPackedMore));
  }
  bytes->push_back(static_cast<char>(number));
}
inline void PutText(std::string_view text, std::string* bytes) {
  PutNumber(text.size(), bytes);
  bytes->append(text);
}
template <typename T>
void PutRaw(T value, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// Reads values in the order in which they were put, from `place` on. The bytes
// outlive it, and the texts that it returns lie in them.
class Unpacker {
 public:
  Unpacker(std::string_view bytes, size_t place) : at_(bytes.data() + place) {}

  size_t Number() {
    size_t number = 0;
    for (unsigned shift = 0;; shift += kPackedBits) {
      const auto byte = static_cast<unsigned char>(*at_++);
      number |= static_cast<size_t>(byte & (kPackedMore - 1)) << shift;
      if ((byte & kPackedMore) == 0) return number;
    }
  }
  std::string_view Text() {
    const size_t size = Number();
    const std::string_view text(at_, size);
    at_ += size;
    return text;
  }
  template <typename T>
  T Raw() {
    T value;
    std::memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

 private:
  const char* at_;
};

}  // namespace switchyard::static_graph

#endif  // SWITCHYARD_STATIC_GRAPH_FOREIGN_PACKED_BYTES_H_
