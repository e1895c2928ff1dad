// SPDX-License-Identifier: Apache-2.0
// Binds a tensor that is SelectedRows (framework/tensor): the gradient of an
// embedding with sparse=True. To everything else it is the tall matrix that it
// stands for. The same for values of graphs.
#ifndef SWITCHYARD_PYTHON_BINDINGS_SELECTED_ROWS_H_
#define SWITCHYARD_PYTHON_BINDINGS_SELECTED_ROWS_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace switchyard::python {

PyObject* IsSelectedRows(PyObject* self, void*);
// Return a NumPy array of row numbers (a copy), and a tensor over the memory of
// the rows; AttributeError for a dense tensor.
PyObject* GetRows(PyObject* self, void*);
PyObject* GetValues(PyObject* self, void*);
// Returns the matrix, rows of one number added; a dense tensor as it is.
PyObject* ToDense(PyObject* self, PyObject*);
// These do so for a value of a graph.
PyObject* IsValueSelectedRows(PyObject* self, void*);
PyObject* ValueToDense(PyObject* self, PyObject*);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_SELECTED_ROWS_H_
