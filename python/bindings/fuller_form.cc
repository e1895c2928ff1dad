// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/fuller_form.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace switchyard::python {
namespace {

// Whether the operator compares: then a number that no element can be, which
// the operator refuses by a ValueError, has an answer too.
bool Compares(const OpFunction& op) {
  constexpr std::string_view kNames[] = {"equal",        "not_equal",
                                         "less_than",    "less_equal",
                                         "greater_than", "greater_equal"};
  return std::find(std::begin(kNames), std::end(kNames),
                   std::string_view(op.info->name)) != std::end(kNames);
}

}  // namespace

bool SetFullerForm(const char* name, PyObject* function) {
  OpFunction* f = FindMutableOpFunction(name);
  if (f == nullptr) return false;
  Py_INCREF(function);
  Py_XSETREF(f->fuller, function);
  return true;
}

PyObject* CallFullerForm(const OpFunction& op, PyObject* const* args,
                         Py_ssize_t count, PyObject* kwnames) {
  const bool may_take =
      PyErr_ExceptionMatches(PyExc_TypeError) != 0 ||
      (PyErr_ExceptionMatches(PyExc_ValueError) != 0 && Compares(op));
  if (!may_take) return nullptr;
  PyObject *type = nullptr, *error = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &error, &traceback);
  PyObject* result =
      PyObject_Vectorcall(op.fuller, args, static_cast<size_t>(count), kwnames);
  if (result != Py_NotImplemented) {
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(traceback);
    return result;
  }
  Py_DECREF(result);
  PyErr_Restore(type, error, traceback);
  return nullptr;
}

}  // namespace switchyard::python
