// SPDX-License-Identifier: Apache-2.0
// ReleasedGil: other Python threads run for the length of a block. Its caller
// keeps alive what the block uses; the block touches no Python object.
// HeldGil: the opposite, for code on any thread that touches Python objects.
// WithGilOrWait: the call of anything else that may take the GIL.
//
// A shutting-down interpreter ends daemon threads when they ask for the GIL:
// it unwinds their stacks, through destructors that would touch Python objects
// without the GIL, up to a noexcept function, where the process aborts. These
// three stop such a thread where it is instead; it ends with the process.
#ifndef SWITCHYARD_PYTHON_BINDINGS_GIL_H_
#define SWITCHYARD_PYTHON_BINDINGS_GIL_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace switchyard::python {

// call(), which may take the GIL. Does not return if the thread is to end.
template <typename Call>
auto WithGilOrWait(Call call) {
  try {
    return call();
  } catch (abi::__forced_unwind&) {
    // Never left, for the unwinding would go on.
    while (true) pause();
  }
}

// Lets other Python threads run for the length of a block.
class ReleasedGil {
 public:
  ReleasedGil() : state_(PyEval_SaveThread()) {}
  ~ReleasedGil() {
    WithGilOrWait([this] { PyEval_RestoreThread(state_); });
  }
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

 private:
  PyThreadState* state_;
};

// Holds the GIL for the length of a block, on any thread.
class HeldGil {
 public:
  HeldGil() : state_(WithGilOrWait([] { return PyGILState_Ensure(); })) {}
  ~HeldGil() { PyGILState_Release(state_); }
  HeldGil(const HeldGil&) = delete;
  HeldGil& operator=(const HeldGil&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_GIL_H_
