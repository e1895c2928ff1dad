// SPDX-License-Identifier: Apache-2.0
// OpTable: the operators that the Python module offers: those that are
// generated (op_table.gen.cc), and those that a program makes while it runs
// (custom_op.h). Calls by name, graphs and explain read it. Names, arguments
// and defaults are in the OpInfo; what a call does with them is
// python/bindings/op_function.h. Kernels are in phi/core/kernel_tables.h.
#ifndef SWITCHYARD_PYTHON_BINDINGS_OP_TABLE_H_
#define SWITCHYARD_PYTHON_BINDINGS_OP_TABLE_H_

#include <deque>
#include <vector>

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

// All forward operators that are generated, sorted by name.
absl::Span<const PythonOp> PythonOps();

// Used with the GIL held.
class OpTable {
 public:
  static OpTable& Current();

  // The forward operators.
  std::vector<const phi::OpInfo*> infos() const;
  // All operators, backward ones too, for RegisterDialects.
  std::vector<const static_graph::DialectOp*> dialect_ops() const;

  // Adds a forward operator that outlives the process. Graphs that were begun
  // before do not know it.
  void Add(const PythonOp& op) { added_.push_back(op); }
  // Adds the backward operator of one.
  void AddBackward(const static_graph::DialectOp& op) {
    backward_.push_back(&op);
  }

 private:
  std::deque<PythonOp> added_;
  std::vector<const static_graph::DialectOp*> backward_;
};

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_OP_TABLE_H_
