// SPDX-License-Identifier: Apache-2.0
// PythonOps: the generated operators as the Python module offers them. Names,
// arguments and defaults are in the OpInfo; what a call does with them is
// python/bindings/op_function.h. Operators that a program makes while it runs
// are in phi/core/op_table.h, too, and made by python/bindings/custom_op.h.
#ifndef SWITCHYARD_PYTHON_BINDINGS_PYTHON_OPS_H_
#define SWITCHYARD_PYTHON_BINDINGS_PYTHON_OPS_H_

#include "absl/types/span.h"
#include "eager/call/eager_op.h"
#include "static_graph/dialect/dialect_op.h"

namespace switchyard::python {

// One operator of the Python module.
struct PythonOp {
  const eager::EagerOp* eager;
  const static_graph::DialectOp* dialect;
  const char* doc;
};

// Returns all forward operators that are generated, sorted by name.
absl::Span<const PythonOp> PythonOps();

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_PYTHON_OPS_H_
