// SPDX-License-Identifier: Apache-2.0
// Gradient hooks written in Python. A hook runs with the GIL held, on whichever
// thread runs backward; an exception in it stops the run and leaves through
// backward().
#ifndef SWITCHYARD_PYTHON_BINDINGS_HOOKS_H_
#define SWITCHYARD_PYTHON_BINDINGS_HOOKS_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "eager/tensor.h"

namespace switchyard::python {

// Adds function(grad) -> grad or None; a new reference to a handle with
// remove(), or null with an error set.
PyObject* AddHook(const eager::Tensor& tensor, PyObject* function);

// Adds the handle's class to `module`; -1 with an error set on failure.
int AddHookType(PyObject* module);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_HOOKS_H_
