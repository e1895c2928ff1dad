// SPDX-License-Identifier: Apache-2.0
// The fuller form of an operator's Python function: what is called where the
// operator refuses a call with a TypeError. It promotes dtypes and takes the
// keywords of other frameworks, so that calls which need neither pay nothing.
#ifndef SWITCHYARD_PYTHON_BINDINGS_FULLER_FORM_H_
#define SWITCHYARD_PYTHON_BINDINGS_FULLER_FORM_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "python/bindings/op_function.h"

namespace switchyard::python {

// Makes `function` the fuller form of the operator `name`: it is called with
// the same arguments and returns the result, or NotImplemented where it has no
// other way. False if there is no such operator.
bool SetFullerForm(const char* name, PyObject* function);

// The result of the fuller form for a call that failed, or null with the
// operator's own error where that is no TypeError, or the form has no way.
PyObject* CallFullerForm(const OpFunction& op, PyObject* const* args,
                         Py_ssize_t count, PyObject* kwnames);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_FULLER_FORM_H_
