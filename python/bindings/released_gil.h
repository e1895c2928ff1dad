// SPDX-License-Identifier: Apache-2.0
// ReleasedGil: other Python threads run for the length of a block. What the
// block uses must be kept alive by who opens it; it touches no Python object.
#ifndef SWITCHYARD_PYTHON_BINDINGS_RELEASED_GIL_H_
#define SWITCHYARD_PYTHON_BINDINGS_RELEASED_GIL_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace switchyard::python {

class ReleasedGil {
 public:
  ReleasedGil() : state_(PyEval_SaveThread()) {}
  ~ReleasedGil() { PyEval_RestoreThread(state_); }
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_RELEASED_GIL_H_
