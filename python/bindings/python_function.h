// SPDX-License-Identifier: Apache-2.0
// CallPython: what the extension leaves to the package's Python code, where
// speed does not matter: text for people, rare forms of subscripts. The module
// is imported on the first call.
#ifndef SWITCHYARD_PYTHON_BINDINGS_PYTHON_FUNCTION_H_
#define SWITCHYARD_PYTHON_BINDINGS_PYTHON_FUNCTION_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <initializer_list>

namespace switchyard::python {

// module.function(*args): a new reference, or null with an error set.
inline PyObject* CallPython(const char* module, const char* function,
                            std::initializer_list<PyObject*> args) {
  PyObject* imported = PyImport_ImportModule(module);
  if (imported == nullptr) return nullptr;
  PyObject* callable = PyObject_GetAttrString(imported, function);
  Py_DECREF(imported);
  if (callable == nullptr) return nullptr;
  PyObject* result =
      PyObject_Vectorcall(callable, args.begin(), args.size(), nullptr);
  Py_DECREF(callable);
  return result;
}

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_PYTHON_FUNCTION_H_
