// SPDX-License-Identifier: Apache-2.0
// Parameters of an operator's function by name: its own and those that other
// frameworks use. How a call binds them is py_call.h.
#ifndef SWITCHYARD_PYTHON_BINDINGS_PARAMETERS_H_
#define SWITCHYARD_PYTHON_BINDINGS_PARAMETERS_H_

#include "python/bindings/op_function.h"

namespace switchyard::python {

// Returns the position of the parameter called `name`, -1 if there is none.
int ParameterOf(const OpFunction& f, PyObject* name);

// Returns the position of the parameter that other frameworks call `name`
// ("dim" for "axis", "input" for "x"), -1 if there is none.
int ParameterOfOtherName(const OpFunction& f, PyObject* name);

// Returns true for "inplace" if the operator has an in-place variant, which
// inplace=True calls.
bool IsInplaceKeyword(const OpFunction& f, PyObject* name);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_PARAMETERS_H_
