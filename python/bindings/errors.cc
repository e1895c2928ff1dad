// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/errors.h"

#include <pybind11/pybind11.h>

#include <string>

namespace switchyard::python {
namespace {

PyObject* ExceptionType(const absl::Status& status) {
  if (IsTypeError(status)) return PyExc_TypeError;
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

}  // namespace

PyObject* SetError(const absl::Status& status) {
  if (PyErr_Occurred() == nullptr) {
    PyErr_SetString(ExceptionType(status),
                    std::string(status.message()).c_str());
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
    PyErr_SetString(PyExc_FileNotFoundError,
                    std::string(status.message()).c_str());
  }
  ThrowIfError(status);
}

absl::Status StatusOfPythonError() {
  return absl::InternalError("a Python error is set");
}

}  // namespace switchyard::python
