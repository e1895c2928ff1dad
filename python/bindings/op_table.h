// SPDX-License-Identifier: Apache-2.0
// PythonOps: the operators that the Python module offers, a generated table
// (op_table.gen.cc). Names, arguments and defaults are in the OpInfo; what a
// call does with them is python/bindings/op_function.h.
#ifndef SWITCHYARD_PYTHON_BINDINGS_OP_TABLE_H_
#define SWITCHYARD_PYTHON_BINDINGS_OP_TABLE_H_

#include "absl/types/span.h"
#include "eager/eager_op.h"
#include "static_graph/dialect/dialect_op.h"

namespace switchyard::python {

struct PythonOp {
  const eager::EagerOp* eager;
  const static_graph::DialectOp* dialect;
  const char* doc;
};

// All forward operators, sorted by name.
absl::Span<const PythonOp> PythonOps();

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_OP_TABLE_H_
