// SPDX-License-Identifier: Apache-2.0
// The signature of a step's arguments: what a trace of them depends on.
#ifndef SWITCHYARD_PYTHON_BINDINGS_SIGNATURE_H_
#define SWITCHYARD_PYTHON_BINDINGS_SIGNATURE_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>

namespace switchyard::python {

// Appends to `signature` what a trace depends on of an argument, a tensor, an
// array or lists, tuples and dictionaries of them: how they are nested, keys,
// kinds, dtypes and all extents but the first. False with an error set on
// failure.
bool AppendSignature(PyObject* argument, std::string* signature);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_SIGNATURE_H_
