// SPDX-License-Identifier: Apache-2.0
// switchyard.static.Value: a value of a graph that is being traced. It has a
// shape (a Symbol where an extent is unknown) and a dtype, and the same
// operators as Tensor, which then add operations to the graph.
#include <new>
#include <string>
#include <utility>

#include "python/bindings/convert.h"
#include "python/bindings/errors.h"
#include "python/bindings/objects.h"
#include "python/bindings/operators.h"
#include "python/bindings/selected_rows.h"
#include "python/bindings/trace_call.h"

namespace switchyard::python {

PyTypeObject* value_type = nullptr;

namespace {

void Dealloc(PyObject* self) {
  ValueObject& object = GetValue(self);
  object.graph.~shared_ptr();
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* GetShape(PyObject* self, void*) { return TupleOfSymbols(self); }

PyObject* GetDtype(PyObject* self, void*) {
  const std::string_view name = Name(GetValue(self).type.dtype());
  return PyUnicode_FromStringAndSize(name.data(),
                                     static_cast<Py_ssize_t>(name.size()));
}

PyObject* GetKind(PyObject* self, void*) {
  const std::string_view name = Name(GetValue(self).type.kind());
  return PyUnicode_FromStringAndSize(name.data(),
                                     static_cast<Py_ssize_t>(name.size()));
}

PyObject* Repr(PyObject* self) {
  const std::string text =
      "Value(" + static_graph::ir::ToString(GetValue(self).type) + ")";
  return PyUnicode_FromString(text.c_str());
}

// Makes the value, and what shares its memory, what another one is.
PyObject* Become(PyObject* self, PyObject* other) {
  if (!IsValue(other)) {
    return SetError(TypeError("_become: result", "a value of the graph",
                              Py_TYPE(other)->tp_name));
  }
  const absl::Status status = TraceWrite(self, other);
  if (!status.ok()) return SetError(status);
  Py_RETURN_NONE;
}

PyGetSetDef getset[] = {
    {"shape", kGuarded<GetShape>, nullptr, "Extents; a Symbol where unknown.",
     nullptr},
    {"dtype", kGuarded<GetDtype>, nullptr, "Name of the element type.",
     nullptr},
    {"kind", kGuarded<GetKind>, nullptr,
     "\"dense\", \"tensor_array\" or another word for what it is.", nullptr},
    {"is_selected_rows", kGuarded<IsValueSelectedRows>, nullptr,
     "Whether it is some rows of a matrix, as sparse "
     "gradients are.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {
    {"to_dense", kGuarded<ValueToDense>, METH_NOARGS,
     "The matrix that SelectedRows stand for; a dense value as it is."},
    {"_become", kGuarded<Become>, METH_O,
     "Holds the elements of another value of its type from now on."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(Dealloc)},
    {Py_tp_repr, reinterpret_cast<void*>(kGuarded<Repr>)},
    {Py_tp_getset, getset},
    {Py_tp_methods, methods},
    {Py_tp_richcompare, reinterpret_cast<void*>(kGuarded<Compare>)},
    {Py_tp_hash, reinterpret_cast<void*>(kGuarded<Hash>)},
    SY_NUMBER_SLOTS,
    SY_INPLACE_SLOTS,
    {Py_mp_subscript, reinterpret_cast<void*>(kGuarded<Subscript>)},
    {Py_mp_ass_subscript, reinterpret_cast<void*>(kGuarded<AssignSubscript>)},
    {Py_tp_doc, const_cast<char*>("A value of a graph that is being traced.")},
    {0, nullptr}};

PyType_Spec spec = {"switchyard._core.Value", sizeof(ValueObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

}  // namespace

int AddValueType(PyObject* module) {
  value_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (value_type == nullptr) return -1;
  return PyModule_AddType(module, value_type);
}

PyObject* WrapValue(std::shared_ptr<Graph> graph,
                    static_graph::ir::Value value) {
  PyObject* self = value_type->tp_alloc(value_type, 0);
  if (self == nullptr) return nullptr;
  ValueObject& object = GetValue(self);
  object.region = graph->builder.region();
  new (&object.value) static_graph::ir::Value(value);
  new (&object.type) static_graph::ir::TensorType(value.tensor_type());
  new (&object.graph) std::shared_ptr<Graph>(std::move(graph));
  return self;
}

}  // namespace switchyard::python
