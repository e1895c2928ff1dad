// SPDX-License-Identifier: Apache-2.0
// CallOp: one call of an operator from Python, by CPython's FASTCALL
// convention: binds positional and keyword arguments to the operator's
// parameters (op_function.h), then runs it eagerly or, if any tensor is a
// Value, adds it to the graph that is being traced.
#ifndef SWITCHYARD_PYTHON_BINDINGS_PY_CALL_H_
#define SWITCHYARD_PYTHON_BINDINGS_PY_CALL_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <initializer_list>

#include "python/bindings/op_function.h"

namespace switchyard::python {

// The function that CPython calls; `self` is the OpFunction.
PyObject* CallOp(PyObject* self, PyObject* const* args, Py_ssize_t count,
                 PyObject* kwnames);

// op(*args) with arguments given by position. NotImplementedError if there is
// no operator of this name.
PyObject* CallOpFunction(const OpFunction& op,
                         std::initializer_list<PyObject*> args);
PyObject* CallOpFunction(const char* name,
                         std::initializer_list<PyObject*> args);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_PY_CALL_H_
