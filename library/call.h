// SPDX-License-Identifier: Apache-2.0
// Call: what every function of the C interface is inside: errors and exceptions
// become a code and a text of the thread.
#ifndef SWITCHYARD_LIBRARY_CALL_H_
#define SWITCHYARD_LIBRARY_CALL_H_

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "framework/base/status.h"
#include "library/include/switchyard.h"

namespace switchyard::library {

// Returns `status`, an error, such that it leaves the library with this code
// instead of that which belongs to its own.
absl::Status WithCode(switchyard_status code, absl::Status status);

// Keep the text of an error for switchyard_error(), after the function's name,
// and return its code.
switchyard_status Report(std::string_view function,
                         const absl::Status& status) noexcept;
// Does so for memory that is missing, without taking any.
switchyard_status ReportNoMemory() noexcept;
switchyard_status ReportUnknown(const char* what) noexcept;

// Runs `body`, which returns a Status, and returns its code. `function` is the
// name without "switchyard_". Throws nothing.
template <typename Body>
switchyard_status Call(std::string_view function, Body&& body) noexcept {
  try {
    const absl::Status status = body();
    return status.ok() ? SWITCHYARD_OK : Report(function, status);
  } catch (const std::bad_alloc&) {
    return ReportNoMemory();
  } catch (const std::exception& error) {
    return ReportUnknown(error.what());
  } catch (...) {
    return ReportUnknown("an exception of unknown type");
  }
}

// Returns ArgumentError unless `pointer` is there.
inline absl::Status CheckThere(std::string_view argument, const void* pointer) {
  if (pointer != nullptr) return absl::OkStatus();
  return ArgumentError(argument, "a pointer", "null");
}

// Returns ArgumentError unless there can be `count` things of a pointer.
inline absl::Status CheckCount(std::string_view argument, size_t count,
                               const void* pointer, std::string_view what) {
  if (count > PTRDIFF_MAX) {
    return ArgumentError(argument, "at most 2^63 - 1", std::to_string(count));
  }
  return count == 0 ? absl::OkStatus() : CheckThere(what, pointer);
}

// Writes a result where its place is wanted.
template <typename T, typename U>
void Write(const U& value, T* place) {
  if (place != nullptr) *place = static_cast<T>(value);
}

}  // namespace switchyard::library

#endif  // SWITCHYARD_LIBRARY_CALL_H_
