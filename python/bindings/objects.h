// SPDX-License-Identifier: Apache-2.0
// The two Python types on the hot path, written against CPython's own API:
// Tensor, a handle on an eager tensor, and Value, a value of a graph that is
// being traced. Their methods are in tensor_type.cc and value_type.cc; the
// classes off the hot path (GraphBuilder, Program, State) use pybind11.
#ifndef SWITCHYARD_PYTHON_BINDINGS_OBJECTS_H_
#define SWITCHYARD_PYTHON_BINDINGS_OBJECTS_H_

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>

#include "eager/tensor/tensor.h"
#include "static_graph/ir/builder.h"
#include "static_graph/ir/value.h"

namespace switchyard::python {

struct Graph;  // python/bindings/trace_call.h

// A Python object of the type Tensor.
struct TensorObject {
  PyObject_HEAD PyObject* weak;  // The weak references to it; at kWeakOffset.
  eager::Tensor tensor;          // Always defined.
  // Whether a module that gets this object as an attribute trains it: what
  // nn.Parameter returned. Only this object, not others of the same tensor.
  bool is_parameter;

  static constexpr Py_ssize_t kWeakOffset = sizeof(PyObject);
};

// A Python object of the type Value.
struct ValueObject {
  PyObject_HEAD std::shared_ptr<Graph>
      graph;  // Keeps the memory of `value` and `type` alive.
  // Dereferenced only after GraphBuilder::CheckVisible(region): a region that
  // failed takes its values with it.
  static_graph::ir::Value value;
  static_graph::ir::TensorType type;
  int64_t region;
};

// A Python object for an extent that is not known: that of an axis of a Value.
struct SymbolObject {
  PyObject_HEAD PyObject* value;  // A Value, owned.
  int axis;
};

// Made once, when the module is imported.
extern PyTypeObject* tensor_type;
extern PyTypeObject* value_type;
extern PyTypeObject* symbol_type;

// Creates the types and adds them to `module`; -1 with an error set on failure.
int AddTensorType(PyObject* module);
int AddValueType(PyObject* module);
int AddSymbolType(PyObject* module);

// None of the types can be derived from.
inline bool IsTensor(PyObject* object) {
  return Py_TYPE(object) == tensor_type;
}
inline bool IsValue(PyObject* object) { return Py_TYPE(object) == value_type; }
inline bool IsSymbol(PyObject* object) {
  return Py_TYPE(object) == symbol_type;
}
inline eager::Tensor& GetTensor(PyObject* object) {
  return reinterpret_cast<TensorObject*>(object)->tensor;
}
inline ValueObject& GetValue(PyObject* object) {
  return *reinterpret_cast<ValueObject*>(object);
}

inline SymbolObject& GetSymbol(PyObject* object) {
  return *reinterpret_cast<SymbolObject*>(object);
}

// Returns true for a tensor that was there before this thread began to trace
// (python/bindings/tracing_scope.h).
bool IsCaptured(PyObject* object);

// A new reference to the symbol as a value of its graph; null with an error set
// on failure.
PyObject* ValueOfSymbol(PyObject* symbol);
// A new tuple of a Value's extents: integers, and Symbols where not known. Null
// with an error set on failure.
PyObject* TupleOfSymbols(PyObject* value);

// New references; None for an undefined tensor, null value. Null with an error
// set if there is no memory.
PyObject* WrapTensor(eager::Tensor tensor);
PyObject* WrapValue(std::shared_ptr<Graph> graph,
                    static_graph::ir::Value value);

}  // namespace switchyard::python

#endif  // SWITCHYARD_PYTHON_BINDINGS_OBJECTS_H_
