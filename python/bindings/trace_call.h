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

// While it lives, this thread traces into a graph: a random operator that gets
// no value draws in it. Scopes are nested; not moved between threads.
class TracingScope {
 public:
  explicit TracingScope(std::shared_ptr<Graph> graph);
  ~TracingScope();
  TracingScope(const TracingScope&) = delete;
  TracingScope& operator=(const TracingScope&) = delete;

  // Returns the graph of the innermost scope of this thread; null if there is
  // none.
  static const std::shared_ptr<Graph>& Current();

 private:
  std::shared_ptr<Graph> graph_;
  const TracingScope* outer_;
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

// Adds an eager tensor, dense or an array, to the graph as a constant: what it
// holds now. TypeError, as of `argument`, for other kinds and for one that
// requires a gradient, which would stay without.
absl::StatusOr<static_graph::ir::Value> EagerConstant(Graph& graph,
                                                      std::string_view argument,
                                                      PyObject* tensor);

// Where no gradients are recorded on this thread (`no_grad`), replaces values
// that could have one by detached ones.
absl::Status StopGradients(Graph& graph,
                           std::vector<static_graph::ir::Value>* values);

// Calls `op` with Python objects, at least one of them a Value or a Symbol (all
// of one graph), or else in the graph of the TracingScope; arrays, numbers and
// eager tensors become constants. Without grad mode the results are detached;
// an in-place variant is Unimplemented then. Results are new
// references to Values, null becomes None, and what an in-place variant writes
// is the Value that it was given. A Python error that is set stays, beside a
// status that fails.
absl::Status TraceCall(const static_graph::DialectOp& op,
                       const phi::ArgList<PyObject* const>& inputs,
                       absl::Span<const AttrRef> attrs,
                       const TraceOptions& options,
                       std::vector<PyObject*>* results);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_TRACE_CALL_H_
