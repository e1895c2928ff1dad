// SPDX-License-Identifier: Apache-2.0
// The dtypes of tensors as those of NumPy's arrays, and the way back.
#ifndef SWITCHYARD_PYTHON_BINDINGS_NUMPY_TYPES_H_
#define SWITCHYARD_PYTHON_BINDINGS_NUMPY_TYPES_H_

#include <pybind11/numpy.h>

#include "framework/types/data_type.h"

namespace switchyard::python {

// Returns the dtype of tensors that are made of such an array; kUndefined if
// there is none.
DataType DataTypeOfNumpy(const pybind11::dtype& dtype);

// Returns NumPy's dtype for a tensor's elements; there is none for bfloat16.
// Storage types: that of ml_dtypes if the program has imported it, else that
// of their bytes.
pybind11::dtype NumpyOf(DataType dtype);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_NUMPY_TYPES_H_
