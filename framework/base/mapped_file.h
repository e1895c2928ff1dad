// SPDX-License-Identifier: Apache-2.0
// MappedFile: the bytes of a file as memory, without reading them. file.h
// beside this reads and writes whole files.
#ifndef SWITCHYARD_FRAMEWORK_BASE_MAPPED_FILE_H_
#define SWITCHYARD_FRAMEWORK_BASE_MAPPED_FILE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "framework/base/status.h"

namespace switchyard {

// The bytes of a regular file, mapped privately: pages come from the file when
// they are first touched, and what is written to them stays in this process.
// Other processes must not shorten the file while it is mapped, since reading
// past its end ends the process. Any thread may read.
class MappedFile {
 public:
  // Maps the file as it is now. Errors name it: IsMissingFile if it can't be
  // opened, InvalidArgument if it is not a regular file, ResourceExhausted if
  // it can't be mapped.
  static absl::StatusOr<std::shared_ptr<const MappedFile>> Open(
      const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {data_, size_}; }

 private:
  MappedFile(const char* data, size_t size) : data_(data), size_(size) {}

  const char* data_;
  size_t size_;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_BASE_MAPPED_FILE_H_
