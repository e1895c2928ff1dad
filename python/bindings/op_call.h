// SPDX-License-Identifier: Apache-2.0
// OpCall: one call of an operator from Python, by CPython's FASTCALL
// convention: binds positional and keyword arguments to the operator's
// parameters by its OpInfo, then runs it eagerly or, if any tensor is a Value,
// adds it to the graph that is being traced. One C function serves every
// operator; the function object's `self` says which.
#ifndef SWITCHYARD_PYTHON_BINDINGS_OP_CALL_H_
#define SWITCHYARD_PYTHON_BINDINGS_OP_CALL_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "python/bindings/op_table.h"

namespace switchyard::python {

// Adds a function for each operator of the table to `module`; -1 with an error
// set on failure.
int AddOpFunctions(PyObject* module);

// The operator's Python function (borrowed), for the operators of Tensor and
// Value; null if there is none.
PyObject* FindOpFunction(const char* name);

// op(*args) with arguments given by position.
PyObject* CallOpFunction(const char* name, PyObject* const* args, size_t count);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_OP_CALL_H_
