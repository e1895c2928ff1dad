// SPDX-License-Identifier: Apache-2.0
// SharedLibrary: a shared library of a plugin, opened.
#ifndef SWITCHYARD_PHI_CAPI_SHARED_LIBRARY_H_
#define SWITCHYARD_PHI_CAPI_SHARED_LIBRARY_H_

#include <string>

#include "framework/base/status.h"

namespace switchyard::phi::capi {

// Checks that the file at `path` is a complete shared library: the dynamic
// loader maps what the headers say, and a process that reads beyond the end of
// a mapped file is killed. NotFound if there is no file, InvalidArgument if it
// is no shared library, DataLoss if it is cut off. A file that is damaged
// elsewhere may still be fatal: `./sy plugin check` opens it in a process of
// its own.
absl::Status CheckSharedLibrary(const std::string& path);

// Owns a handle of the dynamic loader. Closed by the destructor unless it is
// kept.
class SharedLibrary {
 public:
  // Opens a file that CheckSharedLibrary accepts. All symbols that it lacks are
  // looked for at once: FailedPrecondition, with the loader's words, if one is
  // not found, or another library.
  static absl::StatusOr<SharedLibrary> Open(const std::string& path);

  SharedLibrary(SharedLibrary&& other) noexcept : handle_(other.handle_) {
    other.handle_ = nullptr;
  }
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;
  ~SharedLibrary();

  // Returns the address of a symbol; null if it is not exported.
  void* Find(const char* symbol) const;
  // Leaves it open until the process ends.
  void Keep() { handle_ = nullptr; }

 private:
  explicit SharedLibrary(void* handle) : handle_(handle) {}

  void* handle_;
};

}  // namespace switchyard::phi::capi

#endif  // SWITCHYARD_PHI_CAPI_SHARED_LIBRARY_H_
