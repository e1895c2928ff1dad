// SPDX-License-Identifier: Apache-2.0
// OpFunction: the Python function of one operator. How a call binds its
// arguments and runs is py_call.h.
#ifndef SWITCHYARD_PYTHON_BINDINGS_OP_FUNCTION_H_
#define SWITCHYARD_PYTHON_BINDINGS_OP_FUNCTION_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <vector>

#include "python/bindings/python_ops.h"

namespace switchyard::python {

// The Python function of one operator, or of its in-place variant (`relu_`
// beside `relu`): its parameters as users see them. Those of the generated
// table (python_ops.h) are made when the module is imported; one C function
// serves them all, the function object's `self` says which.
struct OpFunction {
  PyObject_HEAD const phi::OpInfo* info;
  const eager::EagerOp* eager;
  const static_graph::DialectOp* dialect;
  PyMethodDef def;
  // The rest is made once and lives as long as the process.
  std::string* name;              // "relu_"
  std::vector<PyObject*>* names;  // Interned; inputs, then attributes.
  std::vector<int>* order;        // The n-th positional parameter's position.
  bool list_outputs;              // Some output is.
  int only;                       // The one output that users see, or -1.
  const OpFunction* inplace;      // The in-place variant's; null if none.
  PyObject* fuller;               // fuller_form.h; null if none.
};

// Adds a function for each operator of the table to `module`, and one for its
// in-place variant where it has one. -1 with an error set on failure.
int AddOpFunctions(PyObject* module);

// The function of an operator that is made at run time, a new reference, which
// calls by name find from now on. Null with an error set on failure.
PyObject* MakeOpFunction(const PythonOp& op);

// The operator's function; null if there is none of this name.
const OpFunction* FindOpFunction(const char* name);
OpFunction* FindMutableOpFunction(const char* name);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_OP_FUNCTION_H_
