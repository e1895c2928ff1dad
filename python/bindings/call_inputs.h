// SPDX-License-Identifier: Apache-2.0
// CallInputs: the tensors of one call of an operator from Python (py_call.h).
#ifndef SWITCHYARD_PYTHON_BINDINGS_CALL_INPUTS_H_
#define SWITCHYARD_PYTHON_BINDINGS_CALL_INPUTS_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <vector>

#include "absl/container/inlined_vector.h"
#include "eager/tensor/tensor.h"
#include "phi/core/arg_buffer.h"
#include "python/bindings/trace_call.h"

namespace switchyard::python {

// The tensors of a call. Those of lists are held: Python code that runs
// meanwhile may change a list.
struct CallInputs {
  CallInputs() = default;
  CallInputs(const CallInputs&) = delete;
  CallInputs& operator=(const CallInputs&) = delete;
  ~CallInputs() {
    for (PyObject* object : held) Py_DECREF(object);
  }

  absl::InlinedVector<eager::Tensor, 2> made;  // Of numbers and arrays.
  phi::ArgBuffer<PyObject*> objects;           // Null if absent.
  absl::InlinedVector<const eager::Tensor*, 8> tensors;  // Of `objects`.
  absl::InlinedVector<PyObject*, 8> held;                // Owned references.
  std::vector<SuppliedObjects> supplied;  // With values among them.
  bool traced = false;
  int64_t elements = 0;
};

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_CALL_INPUTS_H_
