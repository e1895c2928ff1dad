// SPDX-License-Identifier: Apache-2.0
// How a Status becomes a Python exception: TypeError (IsTypeError), ValueError
// (InvalidArgument, DataLoss of a file), IndexError (OutOfRange), MemoryError
// (ResourceExhausted), NotImplementedError (Unimplemented, and NotFound of a
// kernel or an operator), FileNotFoundError (IsMissingFile, and NotFound of
// what only finds files: ThrowIfFileError), FloatingPointError (an anomaly,
// phi/core/anomaly/anomaly.h), RuntimeError (all others). The message is the
// status's own; an anomaly without a place gets that of the line that runs.
#ifndef SWITCHYARD_PYTHON_BINDINGS_ERRORS_H_
#define SWITCHYARD_PYTHON_BINDINGS_ERRORS_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <new>
#include <string_view>
#include <type_traits>

#include "framework/base/status.h"

namespace switchyard::python {

// Sets the Python error unless one is set already (by a hook that failed, say).
// Returns null, for `return SetError(status)`.
PyObject* SetError(const absl::Status& status);

// For code under pybind11: throws with the Python error set.
void ThrowIfError(const absl::Status& status);

// For loaders, whose NotFound speaks of a file: FileNotFoundError.
void ThrowIfFileError(const absl::Status& status);

template <typename T>
T ValueOrThrow(absl::StatusOr<T> value) {
  ThrowIfError(value.status());
  return *std::move(value);
}

// The status of a Python error that is set: what a hook written in Python
// returns to the engine. The error itself stays set, for SetError to leave it.
absl::Status StatusOfPythonError();

// The status of a Python error that is set and must not stay set, for code that
// may drop the status: takes the error away and keeps it. SetError puts it
// back, with its type and traceback and a note that names the operator. The
// message tells it, too. Held are the last 64 errors; GIL held.
absl::Status HoldPythonError(std::string_view op);

// call(), for functions that CPython calls itself, which knows no exceptions: a
// failed `new` is MemoryError, and null or -1 is returned.
template <typename Call>
auto Guarded(Call call) {
  using Result = decltype(call());
  try {
    return call();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
    if constexpr (std::is_pointer_v<Result>) {
      return static_cast<Result>(nullptr);
    } else {
      return static_cast<Result>(-1);
    }
  }
}

namespace internal {
template <auto function>
struct GuardedFunction;
template <typename Result, typename... Arguments,
          Result (*function)(Arguments...)>
struct GuardedFunction<function> {
  static Result Call(Arguments... arguments) {
    return Guarded([&] { return function(arguments...); });
  }
};
}  // namespace internal

// `function` inside Guarded, for the tables of types: methods, attributes,
// slots.
template <auto function>
inline constexpr auto kGuarded = &internal::GuardedFunction<function>::Call;

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_ERRORS_H_
