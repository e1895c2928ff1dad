// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/caller_line.h"

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string_view>

namespace switchyard::python {
namespace {

constexpr std::string_view kInit = "__init__.py";

// Returns the folder of the package, with a slash at its end; empty if it is
// unknown: then no frame is the package's own.
std::string PackageFolder() {
  PyObject* const module =
      PyDict_GetItemString(PyImport_GetModuleDict(), "switchyard");
  if (module == nullptr) return {};
  PyObject* const file = PyObject_GetAttrString(module, "__file__");
  std::string folder;
  if (file != nullptr && PyUnicode_Check(file)) {
    const char* const text = PyUnicode_AsUTF8(file);
    if (text != nullptr) folder = text;
  }
  Py_XDECREF(file);
  PyErr_Clear();
  if (folder.size() <= kInit.size()) return {};
  folder.resize(folder.size() - kInit.size());
  return folder;
}

bool IsOwn(const std::string& package, std::string_view file) {
  return !package.empty() && file.substr(0, package.size()) == package;
}

// Returns the frame around `frame`, whose reference is taken.
PyFrameObject* Outer(PyFrameObject* frame) {
  PyFrameObject* const outer = PyFrame_GetBack(frame);
  Py_DECREF(frame);
  return outer;
}

}  // namespace

std::optional<CallerLine> FindCallerLine() {
  static const std::string* const package = new std::string(PackageFolder());
  std::optional<CallerLine> line;
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  for (; frame != nullptr; frame = Outer(frame)) {
    PyCodeObject* const code = PyFrame_GetCode(frame);
    const char* const file = PyUnicode_AsUTF8(code->co_filename);
    const bool found = file != nullptr && !IsOwn(*package, file);
    if (found) line = CallerLine{file, PyFrame_GetLineNumber(frame)};
    Py_DECREF(code);
    if (found) break;
    if (file == nullptr) PyErr_Clear();
  }
  Py_XDECREF(frame);
  return line;
}

}  // namespace switchyard::python
