// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/errors.h"

#include <pybind11/pybind11.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/cord.h"
#include "framework/base/file.h"
#include "phi/core/anomaly/anomaly.h"
#include "python/bindings/caller_line.h"

namespace switchyard::python {
namespace {

PyObject* ExceptionType(const absl::Status& status) {
  if (IsTypeError(status)) return PyExc_TypeError;
  if (IsMissingFile(status)) return PyExc_FileNotFoundError;
  if (phi::IsAnomaly(status)) return PyExc_FloatingPointError;
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kDataLoss:
      return PyExc_ValueError;
    case absl::StatusCode::kOutOfRange:
      return PyExc_IndexError;
    case absl::StatusCode::kResourceExhausted:
      return PyExc_MemoryError;
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kNotFound:
      return PyExc_NotImplementedError;
    default:
      return PyExc_RuntimeError;
  }
}

constexpr char kHeldError[] = "switchyard/python_error";
constexpr size_t kMaxHeld = 64;

// Returns the errors held, keyed by number, the oldest first. Never destroyed:
// the interpreter may be gone.
std::map<uint64_t, pybind11::error_already_set>& HeldErrors() {
  static auto* const errors =
      new std::map<uint64_t, pybind11::error_already_set>();
  return *errors;
}

// Sets the error that `status` stands for; false if it stands for none.
bool SetHeldError(const absl::Status& status) {
  const auto payload = status.GetPayload(kHeldError);
  if (!payload.has_value()) return false;
  const auto held =
      HeldErrors().find(std::stoull(static_cast<std::string>(*payload)));
  if (held == HeldErrors().end()) return false;
  held->second.restore();
  HeldErrors().erase(held);
  return true;
}

// "ValueError: not so".
std::string TextOf(const pybind11::error_already_set& error) {
  std::string text =
      reinterpret_cast<PyTypeObject*>(error.type().ptr())->tp_name;
  PyObject* const words = PyObject_Str(error.value().ptr());
  const char* utf8 = words == nullptr ? nullptr : PyUnicode_AsUTF8(words);
  if (utf8 != nullptr) text.append(": ").append(utf8);
  Py_XDECREF(words);
  PyErr_Clear();
  return text;
}

// Sets an error. Its message may have names from a file, whose bytes need not
// be UTF-8: those that are none are written as \xff.
void SetMessage(PyObject* type, const absl::Status& status) {
  PyObject* const text = PyUnicode_DecodeUTF8(
      status.message().data(), static_cast<Py_ssize_t>(status.message().size()),
      "backslashreplace");
  if (text == nullptr) return;  // That is set as an error.
  PyErr_SetObject(type, text);
  Py_DECREF(text);
}

// An anomaly that no other place is known of comes from the line that runs.
absl::Status Placed(const absl::Status& status) {
  if (!phi::IsAnomaly(status) || phi::IsPlacedAnomaly(status)) return status;
  const std::optional<CallerLine> caller = FindCallerLine();
  if (!caller.has_value()) return status;
  return phi::PlaceAnomaly(status, " (at " + caller->file + ":" +
                                       std::to_string(caller->line) + ")");
}

}  // namespace

absl::Status HoldPythonError(std::string_view op) {
  static uint64_t last = 0;
  pybind11::error_already_set error;  // Takes it.
  const absl::Status result = [&] {
    absl::Status status = absl::InternalError(TextOf(error));
    status.SetPayload(kHeldError, absl::Cord(std::to_string(++last)));
    return status;
  }();
  PyObject* const none =
      PyObject_CallMethod(error.value().ptr(), "add_note", "s",
                          ("in operator " + std::string(op)).c_str());
  Py_XDECREF(none);
  PyErr_Clear();
  HeldErrors().emplace(last, std::move(error));
  if (HeldErrors().size() > kMaxHeld) HeldErrors().erase(HeldErrors().begin());
  return result;
}

PyObject* SetError(const absl::Status& status) {
  if (PyErr_Occurred() == nullptr && !SetHeldError(status)) {
    SetMessage(ExceptionType(status), Placed(status));
  }
  return nullptr;
}

void ThrowIfError(const absl::Status& status) {
  if (status.ok()) return;
  SetError(status);
  throw pybind11::error_already_set();
}

void ThrowIfFileError(const absl::Status& status) {
  if (absl::IsNotFound(status) && PyErr_Occurred() == nullptr) {
    SetMessage(PyExc_FileNotFoundError, status);
  }
  ThrowIfError(status);
}

absl::Status StatusOfPythonError() {
  return absl::InternalError("a Python error is set");
}

}  // namespace switchyard::python
