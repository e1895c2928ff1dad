// SPDX-License-Identifier: Apache-2.0
#include "framework/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "framework/base/file.h"

namespace switchyard {
namespace {

// Closes a descriptor at the end of a scope; a mapping outlives it.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

}  // namespace

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::Open(
    const std::string& path) {
  // Without O_NONBLOCK a pipe without a writer is a wait.
  const Descriptor file = {
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat facts = {};
  if (file.number < 0 || fstat(file.number, &facts) != 0) {
    return MissingFileError(absl::StrCat(path, ": can't be opened"));
  }
  if (!S_ISREG(facts.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": must be a regular file"));
  }
  const auto size = static_cast<size_t>(facts.st_size);
  if (size == 0) {
    return std::shared_ptr<const MappedFile>(new MappedFile(nullptr, 0));
  }
  void* const data = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_NORESERVE, file.number, 0);
  if (data == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat(path, ": ", size, " bytes can't be mapped"));
  }
  return std::shared_ptr<const MappedFile>(
      new MappedFile(static_cast<const char*>(data), size));
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
}

}  // namespace switchyard
