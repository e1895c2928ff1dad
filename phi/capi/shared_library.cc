// SPDX-License-Identifier: Apache-2.0
#include "phi/capi/shared_library.h"

#include <dlfcn.h>
#include <elf.h>

#include <cstring>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "framework/base/file.h"

namespace switchyard::phi::capi {
namespace {

absl::Status CutOff(const char* what, uint64_t needed, size_t size) {
  return absl::DataLossError(absl::StrCat("the file is cut off: its ", what,
                                          " need ", needed, " bytes, got ",
                                          size));
}

// Reads a record at `offset`; false if it leaves the file.
template <typename Record>
bool Read(std::string_view bytes, uint64_t offset, Record* record) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Record)) {
    return false;
  }
  std::memcpy(record, bytes.data() + offset, sizeof(Record));
  return true;
}

}  // namespace

absl::Status CheckSharedLibrary(const std::string& path) {
  SY_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  Elf64_Ehdr header;
  if (!Read(bytes, 0, &header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_DYN ||
      header.e_phentsize != sizeof(Elf64_Phdr)) {
    return ArgumentError("the file", "a shared library (ELF of 64 bits)",
                         "another file");
  }
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    const uint64_t at = header.e_phoff + i * uint64_t{sizeof(segment)};
    if (at < header.e_phoff || !Read(bytes, at, &segment)) {
      return CutOff("headers", at + sizeof(segment), bytes.size());
    }
    const uint64_t end = segment.p_offset + segment.p_filesz;
    if (end < segment.p_offset || end > bytes.size()) {
      return CutOff("segments", end, bytes.size());
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<SharedLibrary> SharedLibrary::Open(const std::string& path) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const reason = dlerror();
    return absl::FailedPreconditionError(absl::StrCat(
        "the library can't be opened: ", reason == nullptr ? "" : reason));
  }
  return SharedLibrary(handle);
}

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}

void* SharedLibrary::Find(const char* symbol) const {
  return dlsym(handle_, symbol);
}

}  // namespace switchyard::phi::capi
