// SPDX-License-Identifier: Apache-2.0
// The operators of Python's Tensor and Value (+, //, @, <, |, x[...], ...): one
// number protocol for both, in terms of the functions of switchyard.ops. What a
// subscript may be is switchyard/indexing.py's; plain ones (integers, slices of
// step 1, an ellipsis) don't leave C++.
#ifndef SWITCHYARD_PYTHON_BINDINGS_OPERATORS_H_
#define SWITCHYARD_PYTHON_BINDINGS_OPERATORS_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "python/bindings/errors.h"

namespace switchyard::python {

PyObject* Add(PyObject* a, PyObject* b);
PyObject* Subtract(PyObject* a, PyObject* b);
PyObject* Multiply(PyObject* a, PyObject* b);
PyObject* Divide(PyObject* a, PyObject* b);
PyObject* FloorDivide(PyObject* a, PyObject* b);
PyObject* Remainder(PyObject* a, PyObject* b);
PyObject* Power(PyObject* a, PyObject* b, PyObject* modulus);
PyObject* Matmul(PyObject* a, PyObject* b);
// For bool only, as NumPy has them there.
PyObject* And(PyObject* a, PyObject* b);
PyObject* Or(PyObject* a, PyObject* b);
PyObject* Xor(PyObject* a, PyObject* b);
PyObject* Invert(PyObject* a);
PyObject* Negative(PyObject* a);
PyObject* Positive(PyObject* a);
PyObject* Absolute(PyObject* a);

// These write a's memory; of a value they add a write, which its views and
// other names see (static_graph/passes/to_value_form.h). `a @= b`, whose shape
// may be another, binds the name to a new tensor.
PyObject* InplaceAdd(PyObject* a, PyObject* b);
PyObject* InplaceSubtract(PyObject* a, PyObject* b);
PyObject* InplaceMultiply(PyObject* a, PyObject* b);
PyObject* InplaceDivide(PyObject* a, PyObject* b);
PyObject* InplaceFloorDivide(PyObject* a, PyObject* b);
PyObject* InplaceRemainder(PyObject* a, PyObject* b);
PyObject* InplacePower(PyObject* a, PyObject* b, PyObject* modulus);
PyObject* InplaceAnd(PyObject* a, PyObject* b);
PyObject* InplaceOr(PyObject* a, PyObject* b);
PyObject* InplaceXor(PyObject* a, PyObject* b);

// Hashes by identity, though == compares elements: sets and dicts hold tensors
// as objects.
Py_hash_t Hash(PyObject* object);
PyObject* Compare(PyObject* a, PyObject* b, int comparison);
PyObject* Subscript(PyObject* x, PyObject* index);
int AssignSubscript(PyObject* x, PyObject* index, PyObject* value);

// Slots for PyType_Spec.
#define SY_SLOT(slot, function) \
  { slot, reinterpret_cast<void*>(kGuarded<function>) }
#define SY_NUMBER_SLOTS                                                      \
  SY_SLOT(Py_nb_add, Add), SY_SLOT(Py_nb_subtract, Subtract),                \
      SY_SLOT(Py_nb_multiply, Multiply), SY_SLOT(Py_nb_true_divide, Divide), \
      SY_SLOT(Py_nb_floor_divide, FloorDivide),                              \
      SY_SLOT(Py_nb_remainder, Remainder), SY_SLOT(Py_nb_power, Power),      \
      SY_SLOT(Py_nb_matrix_multiply, Matmul), SY_SLOT(Py_nb_and, And),       \
      SY_SLOT(Py_nb_or, Or), SY_SLOT(Py_nb_xor, Xor),                        \
      SY_SLOT(Py_nb_invert, Invert), SY_SLOT(Py_nb_negative, Negative),      \
      SY_SLOT(Py_nb_positive, Positive), SY_SLOT(Py_nb_absolute, Absolute)
#define SY_INPLACE_SLOTS                                       \
  SY_SLOT(Py_nb_inplace_add, InplaceAdd),                      \
      SY_SLOT(Py_nb_inplace_subtract, InplaceSubtract),        \
      SY_SLOT(Py_nb_inplace_multiply, InplaceMultiply),        \
      SY_SLOT(Py_nb_inplace_true_divide, InplaceDivide),       \
      SY_SLOT(Py_nb_inplace_floor_divide, InplaceFloorDivide), \
      SY_SLOT(Py_nb_inplace_remainder, InplaceRemainder),      \
      SY_SLOT(Py_nb_inplace_power, InplacePower),              \
      SY_SLOT(Py_nb_inplace_and, InplaceAnd),                  \
      SY_SLOT(Py_nb_inplace_or, InplaceOr),                    \
      SY_SLOT(Py_nb_inplace_xor, InplaceXor)

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_OPERATORS_H_
