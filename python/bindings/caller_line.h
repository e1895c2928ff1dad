// SPDX-License-Identifier: Apache-2.0
// CallerLine: the line of the user's Python code that is running. As an IR's
// location it is python/bindings/caller_location.h.
#ifndef SWITCHYARD_PYTHON_BINDINGS_CALLER_LINE_H_
#define SWITCHYARD_PYTHON_BINDINGS_CALLER_LINE_H_

#include <optional>
#include <string>

namespace switchyard::python {

// A line of a file, from 1 on.
struct CallerLine {
  std::string file;
  int line = 0;
};

// Returns the line of the innermost Python frame that is not the package's
// own: a layer of switchyard.nn is located where the user calls it. Nothing if
// there is none. Leaves a Python error that is set as it is; under the GIL.
std::optional<CallerLine> FindCallerLine();

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_CALLER_LINE_H_
