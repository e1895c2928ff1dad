// SPDX-License-Identifier: Apache-2.0
// A tensor's elements as an array of NumPy and as numbers: methods of Tensor.
#ifndef SWITCHYARD_PYTHON_BINDINGS_TENSOR_ELEMENTS_H_
#define SWITCHYARD_PYTHON_BINDINGS_TENSOR_ELEMENTS_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace switchyard::python {

// Tensor.numpy() and Tensor.item(); null with an error set on failure. While a
// function is traced they note that Python knows the elements.
PyObject* NumpyOfTensor(PyObject* tensor, PyObject*);
PyObject* ItemOfTensor(PyObject* tensor, PyObject*);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_TENSOR_ELEMENTS_H_
