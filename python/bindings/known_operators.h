// SPDX-License-Identifier: Apache-2.0
// KnownOperators: all operators of the process, for what finds them by name.
#ifndef SWITCHYARD_PYTHON_BINDINGS_KNOWN_OPERATORS_H_
#define SWITCHYARD_PYTHON_BINDINGS_KNOWN_OPERATORS_H_

#include <vector>

#include "eager/call/eager_op.h"

namespace switchyard::python {

// Returns the generated operators (python/bindings/python_ops.h) and those that
// were added (phi/core/op_table.h), forward and backward, each once.
std::vector<const eager::EagerOp*> KnownOperators();

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_KNOWN_OPERATORS_H_
