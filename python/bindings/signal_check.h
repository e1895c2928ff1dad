// SPDX-License-Identifier: Apache-2.0
// SignalCheck: lets Ctrl-C into code that runs without the GIL for as long as
// it likes. It is what such code calls from time to time.
#ifndef SWITCHYARD_PYTHON_BINDINGS_SIGNAL_CHECK_H_
#define SWITCHYARD_PYTHON_BINDINGS_SIGNAL_CHECK_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <chrono>

#include "python/bindings/errors.h"
#include "python/bindings/gil.h"

namespace switchyard::python {

// Runs Python's handlers of the signals that came, on the main thread: the
// others see none. What a handler raises (KeyboardInterrupt) stays set, and the
// status says so.
class SignalCheck {
 public:
  absl::Status operator()() {
    const Clock::time_point now = Clock::now();
    if (now < next_) return absl::OkStatus();
    next_ = now + kInterval;
    const HeldGil gil;
    // A handler is Python code, which hands the GIL over as it runs.
    const bool raised = WithGilOrWait([] { return PyErr_CheckSignals() < 0; });
    return raised ? StatusOfPythonError() : absl::OkStatus();
  }

 private:
  using Clock = std::chrono::steady_clock;
  // To take the GIL may mean to wait for another thread.
  static constexpr std::chrono::milliseconds kInterval{20};

  Clock::time_point next_ = Clock::now() + kInterval;
};

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_SIGNAL_CHECK_H_
