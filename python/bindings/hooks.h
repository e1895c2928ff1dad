// SPDX-License-Identifier: Apache-2.0
// Gradient hooks written in Python. A hook runs with the GIL held, on whichever
// thread runs backward; an exception in it stops the run and leaves through
// backward(). A tensor that only its own hooks refer to is garbage, which
// Python's collector finds by VisitHooks.
#ifndef SWITCHYARD_PYTHON_BINDINGS_HOOKS_H_
#define SWITCHYARD_PYTHON_BINDINGS_HOOKS_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>

#include "eager/tensor/tensor.h"

namespace switchyard::python {

// Returns an owner of a Python function, whose last reference may go on a
// thread without the GIL. GIL held.
std::shared_ptr<PyObject> HoldFunction(PyObject* function);

// Adds function(grad) -> grad or None to a Tensor; a new reference to a handle
// with remove(), or null with an error set. The collector tracks the tensor
// from then on.
PyObject* AddHook(PyObject* tensor, PyObject* function);

// Returns a new tuple of the functions among the tensor's hooks, in the order
// in which they run; null with an error set. TypeError, as of a hook, where one
// was not written in Python.
PyObject* HookFunctions(PyObject* tensor);

// For tp_traverse: visits the functions that live as long as this handle on
// the tensor and no longer. Returns what `visit` returned.
int VisitHooks(const eager::Tensor& tensor, visitproc visit, void* arg);

// Adds the handle's class to `module`; -1 with an error set on failure.
int AddHookType(PyObject* module);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_HOOKS_H_
