// SPDX-License-Identifier: Apache-2.0
// CallerLocation: the line of the user's Python code that is running.
#ifndef SWITCHYARD_PYTHON_BINDINGS_CALLER_LOCATION_H_
#define SWITCHYARD_PYTHON_BINDINGS_CALLER_LOCATION_H_

#include "static_graph/ir/context.h"

namespace switchyard::python {

// Returns file and line of the innermost Python frame that is not the package's
// own: a layer of switchyard.nn is located where the user calls it. Null if
// there is none. Leaves a Python error that is set as it is; under the GIL.
static_graph::ir::Location CallerLocation(static_graph::ir::Context* context);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_CALLER_LOCATION_H_
