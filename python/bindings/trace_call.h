// SPDX-License-Identifier: Apache-2.0
// TraceCall: a call of an operator with values of a graph that is being traced.
// GraphBuilder in Python is a handle on a Graph.
#ifndef SWITCHYARD_PYTHON_BINDINGS_TRACE_CALL_H_
#define SWITCHYARD_PYTHON_BINDINGS_TRACE_CALL_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "eager/tensor/tensor.h"
#include "static_graph/dialect/dialect_op.h"
#include "static_graph/program/graph_builder.h"

namespace switchyard::python {

// A program while Python traces it, with the context that it lives in. Used
// under the GIL.
struct Graph {
  Graph(std::shared_ptr<static_graph::ir::Context> owned, std::string_view name)
      : context(std::move(owned)), builder(context.get(), name) {}

  const std::shared_ptr<static_graph::ir::Context> context;
  static_graph::GraphBuilder builder;
};

// Gives what is added to the graph from now on the location of the Python call
// that runs (CallerLocation).
void LocateAtCaller(Graph& graph);

// An attribute that values of a graph supply: Values, Symbols, and numbers or
// arrays beside them. Borrowed.
struct SuppliedObjects {
  int attr = 0;
  std::vector<PyObject*> objects;
};

// The options of a traced call.
struct TraceOptions {
  absl::Span<const SuppliedObjects> supplied;
  bool inplace = false;  // Of the operator's in-place variant.
};

// The graph's value for an eager tensor, dense or an array: of a state, if the
// TracingScope of the graph captures it; else a constant, what it holds now.
// TypeError, as of `argument`, for other kinds and for a constant that requires
// a gradient, which would stay without. A status may stand beside an error of
// Python's.
absl::StatusOr<static_graph::ir::Value> ValueOfEager(Graph& graph,
                                                     std::string_view argument,
                                                     PyObject* tensor);

// Where no gradients are recorded on this thread (`no_grad`), replaces values
// that could have one by detached ones.
absl::Status StopGradients(Graph& graph,
                           std::vector<static_graph::ir::Value>* values);

// Adds a write of a graph's value: `target`, and what shares its memory, holds
// what `value` (a Value too) does from now on.
absl::Status TraceWrite(PyObject* target, PyObject* value);

// Calls `op` with Python objects, at least one of them a Value or a Symbol (all
// of one graph), or else in the graph of the TracingScope; arrays and numbers
// become constants, eager tensors what ValueOfEager says. Without grad mode the
// results are detached, and an in-place variant writes through a detached view.
// Results are new references to Values, null becomes None, and what an in-place
// variant writes is the Value or the captured tensor that it was given. A
// Python error that is set stays, beside a status that fails.
absl::Status TraceCall(const static_graph::DialectOp& op,
                       const phi::ArgList<PyObject* const>& inputs,
                       absl::Span<const AttrRef> attrs,
                       const TraceOptions& options,
                       std::vector<PyObject*>* results);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_TRACE_CALL_H_
