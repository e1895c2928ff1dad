// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/tracing_scope.h"

#include <utility>

#include "absl/cleanup/cleanup.h"
#include "python/bindings/objects.h"
#include "python/bindings/trace_call.h"

namespace switchyard::python {
namespace {

thread_local TracingScope* innermost = nullptr;

}  // namespace

std::atomic<int> TracingScope::alive_{0};

TracingScope* TracingScope::OfThisThread() { return innermost; }

TracingScope::TracingScope(std::shared_ptr<Graph> graph, PyObject* captures)
    : graph_(std::move(graph)), captures_(captures), outer_(innermost) {
  Py_XINCREF(captures_);
  innermost = this;
  alive_.fetch_add(1, std::memory_order_relaxed);
}

TracingScope::~TracingScope() {
  alive_.fetch_sub(1, std::memory_order_relaxed);
  innermost = outer_;
  Py_XDECREF(captures_);
}

bool IsCaptured(PyObject* object) {
  const TracingScope* const scope = TracingScope::Innermost();
  return scope != nullptr && IsTensor(object) &&
         scope->Captures(GetTensor(object));
}

TracingScope::Suspension::Suspension()
    : scope_(std::exchange(innermost, nullptr)) {}
TracingScope::Suspension::~Suspension() { innermost = scope_; }

void TracingScope::AddMade(const eager::Tensor& tensor) {
  if (captures_ != nullptr && tensor.defined()) {
    made_.try_emplace(&tensor.base(), tensor);
  }
}

bool TracingScope::Captures(const eager::Tensor& tensor) const {
  return captures_ != nullptr && tensor.kind() == TensorKind::kDense &&
         made_.find(&tensor.base()) == made_.end();
}

absl::Status TracingScope::Look(absl::Span<PyObject* const> arguments,
                                bool random, bool* traced) const {
  bool eager = false;  // An eager rng, say.
  for (PyObject* object : arguments) {
    if (object == nullptr || !IsTensor(object)) continue;
    eager = true;
    *traced |= Captures(GetTensor(object));
    // Sparse tensors and arrays are no states.
    if (GetTensor(object).kind() != TensorKind::kDense && !NoteRead(object)) {
      return absl::InternalError("it raised an exception");
    }
  }
  // Random numbers that a traced function draws are drawn in each run.
  *traced |= !eager && random;
  return absl::OkStatus();
}

absl::StatusOr<static_graph::ir::Value> TracingScope::Returned(
    PyObject* value) const {
  if (value == nullptr) return absl::InternalError("it raised an exception");
  const auto release = absl::MakeCleanup([value] { Py_DECREF(value); });
  if (value == Py_None) return static_graph::ir::Value();
  if (!IsValue(value)) return absl::InternalError("it must return a value");
  SY_RETURN_IF_ERROR(
      graph_->builder.CheckVisible("tensor", GetValue(value).region));
  return GetValue(value).value;
}

absl::StatusOr<static_graph::ir::Value> TracingScope::ValueOf(
    PyObject* tensor) const {
  return Returned(PyObject_CallMethod(captures_, "value_of", "O", tensor));
}

absl::StatusOr<static_graph::ir::Value> TracingScope::SharedArray(
    PyObject* object) const {
  if (captures_ == nullptr) return static_graph::ir::Value();
  return Returned(PyObject_CallMethod(captures_, "shared", "O", object));
}

absl::Status TracingScope::CheckWritable(const std::string& op,
                                         PyObject* tensor) const {
  PyObject* const done = PyObject_CallMethod(captures_, "check_writable", "sO",
                                             op.c_str(), tensor);
  if (done == nullptr) return absl::InternalError("it raised an exception");
  Py_DECREF(done);
  return absl::OkStatus();
}

bool TracingScope::Write(PyObject* tensor, PyObject* value) const {
  PyObject* const done =
      PyObject_CallMethod(captures_, "copy", "OO", tensor, value);
  Py_XDECREF(done);
  return done != nullptr;
}

bool TracingScope::ReadAsConstant(const std::string& op,
                                  PyObject* tensor) const {
  PyObject* const done = PyObject_CallMethod(captures_, "read_as_constant",
                                             "sO", op.c_str(), tensor);
  Py_XDECREF(done);
  return done != nullptr;
}

bool TracingScope::NoteRead(PyObject* tensor) const {
  if (captures_ == nullptr ||
      made_.find(&GetTensor(tensor).base()) != made_.end()) {
    return true;
  }
  PyObject* const done =
      PyObject_CallMethod(captures_, "note_read", "O", tensor);
  Py_XDECREF(done);
  return done != nullptr;
}

}  // namespace switchyard::python
