// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/fuller_form.h"

namespace switchyard::python {

bool SetFullerForm(const char* name, PyObject* function) {
  OpFunction* f = FindMutableOpFunction(name);
  if (f == nullptr) return false;
  Py_INCREF(function);
  Py_XSETREF(f->fuller, function);
  return true;
}

PyObject* CallFullerForm(const OpFunction& op, PyObject* const* args,
                         Py_ssize_t count, PyObject* kwnames) {
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) return nullptr;
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
