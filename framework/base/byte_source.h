// SPDX-License-Identifier: Apache-2.0
// ByteSource: bytes that are read once, in order, from memory or from a file
// (OpenFile() of file.h).
#ifndef SWITCHYARD_FRAMEWORK_BASE_BYTE_SOURCE_H_
#define SWITCHYARD_FRAMEWORK_BASE_BYTE_SOURCE_H_

#include <cstddef>
#include <cstring>
#include <string_view>

#include "framework/base/status.h"

namespace switchyard {

// Bytes that are read once, in order, to where they belong: a large file need
// not be in memory beside what is made of it. Used by one thread at a time.
class ByteSource {
 public:
  explicit ByteSource(size_t size) : left_(size) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Returns the number of bytes that have not been read.
  size_t left() const { return left_; }

  // Reads the next `size` bytes, at most left(), to `to`. Unavailable if they
  // can't be read, since a file has become shorter; nothing more is read then.
  absl::Status Read(void* to, size_t size) {
    SY_RETURN_IF_ERROR(ReadNext(to, size));
    left_ -= size;
    return absl::OkStatus();
  }

 private:
  virtual absl::Status ReadNext(void* to, size_t size) = 0;

  size_t left_;
};

// Reads borrowed memory, which outlives it.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes)
      : ByteSource(bytes.size()), bytes_(bytes) {}

 private:
  absl::Status ReadNext(void* to, size_t size) override {
    if (size > 0) std::memcpy(to, bytes_.data(), size);
    bytes_.remove_prefix(size);
    return absl::OkStatus();
  }

  std::string_view bytes_;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_BASE_BYTE_SOURCE_H_
