// SPDX-License-Identifier: Apache-2.0
// TracingScope: a thread that traces Python code into a graph, and which eager
// tensors are the graph's states there.
#ifndef SWITCHYARD_PYTHON_BINDINGS_TRACING_SCOPE_H_
#define SWITCHYARD_PYTHON_BINDINGS_TRACING_SCOPE_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <atomic>
#include <memory>
#include <string>

#include "absl/types/span.h"
#include "eager/tensor/tensor.h"
#include "framework/base/hash_map.h"
#include "framework/base/status.h"
#include "static_graph/ir/value.h"

namespace switchyard::python {

struct Graph;  // python/bindings/trace_call.h

// While it lives, this thread traces into a graph: a random operator that gets
// no value draws in it, and so does every call with a tensor that was there
// before: `captures` (switchyard/static/captured.py), an object of Python's,
// says which state it is. Without `captures` such tensors are constants.
//
// Scopes are nested; not moved between threads. Used under the GIL.
class TracingScope {
 public:
  TracingScope(std::shared_ptr<Graph> graph, PyObject* captures);
  ~TracingScope();
  TracingScope(const TracingScope&) = delete;
  TracingScope& operator=(const TracingScope&) = delete;

  // Returns the innermost scope of this thread; null if there is none.
  static TracingScope* Innermost() {
    return alive_.load(std::memory_order_relaxed) == 0 ? nullptr
                                                       : OfThisThread();
  }

  const std::shared_ptr<Graph>& graph() const { return graph_; }
  PyObject* captures() const { return captures_; }

  // Says that a tensor was made in the scope: it is a constant.
  void AddMade(const eager::Tensor& tensor);
  // Does so for this thread's innermost scope, if there is one.
  static void AddMadeHere(const eager::Tensor& tensor) {
    TracingScope* const scope = Innermost();
    if (scope != nullptr) scope->AddMade(tensor);
  }
  // Returns true for a dense tensor that was there before.
  bool Captures(const eager::Tensor& tensor) const;
  // Sets `traced` if a call with these arguments, null where there is none,
  // goes to the graph though none is a value: what it computes differs from run
  // to run. Notes the others that are read. A status with an error of Python's
  // set fails.
  absl::Status Look(absl::Span<PyObject* const> arguments, bool random,
                    bool* traced) const;
  // Returns the state's value as it is now, of a tensor that Captures(). A
  // status with an error of Python's set fails.
  absl::StatusOr<static_graph::ir::Value> ValueOf(PyObject* tensor) const;
  // Returns the value of an array of NumPy that lies in a state's memory; null
  // for any other object. A status with an error of Python's set fails.
  absl::StatusOr<static_graph::ir::Value> SharedArray(PyObject* object) const;
  // A status with an error of Python's set where `op` can't write a tensor that
  // Captures() in place.
  absl::Status CheckWritable(const std::string& op, PyObject* tensor) const;
  // Sets what a tensor that Captures() holds after the calls so far, a value of
  // the graph or another tensor; false with an error set if it can't be.
  bool Write(PyObject* tensor, PyObject* value) const;
  // Notes that `op` copies the elements of a tensor that Captures() to one that
  // is a constant; false with an error set if it may not.
  bool ReadAsConstant(const std::string& op, PyObject* tensor) const;
  // Notes that Python has read elements of a tensor; false with an error set.
  bool NoteRead(PyObject* tensor) const;

  // While it lives, this thread traces nothing.
  class Suspension {
   public:
    Suspension();
    ~Suspension();
    Suspension(const Suspension&) = delete;
    Suspension& operator=(const Suspension&) = delete;

   private:
    TracingScope* scope_;
  };

 private:
  // Takes the value that a method of `captures_` returned, null on an error;
  // null for None.
  absl::StatusOr<static_graph::ir::Value> Returned(PyObject* value) const;
  static TracingScope* OfThisThread();
  static std::atomic<int> alive_;  // Scopes of all threads.

  std::shared_ptr<Graph> graph_;
  PyObject* captures_;  // Owned; may be null.
  HashMap<const TensorBase*, eager::Tensor> made_;
  TracingScope* outer_;
};

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_TRACING_SCOPE_H_
