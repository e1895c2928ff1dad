// SPDX-License-Identifier: Apache-2.0
// The operators of Python's Tensor and Value (+, -, *, /, @, indexing, ...):
// one number protocol for both, in terms of the functions of switchyard.ops.
#ifndef SWITCHYARD_PYTHON_BINDINGS_OPERATORS_H_
#define SWITCHYARD_PYTHON_BINDINGS_OPERATORS_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace switchyard::python {

// Slots for PyType_Spec: shared by both types.
PyObject* Add(PyObject* a, PyObject* b);
PyObject* Subtract(PyObject* a, PyObject* b);
PyObject* Multiply(PyObject* a, PyObject* b);
PyObject* Divide(PyObject* a, PyObject* b);
PyObject* Matmul(PyObject* a, PyObject* b);
PyObject* Negative(PyObject* a);
// == and < (> by exchanging); the other comparisons are not implemented.
PyObject* Compare(PyObject* a, PyObject* b, int comparison);
// x[i], x[a:b], x[..., a:b]: integers drop their axis, slices have step 1.
PyObject* Subscript(PyObject* x, PyObject* index);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_OPERATORS_H_
