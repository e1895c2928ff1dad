// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/tensor_elements.h"

#include "eager/call/autograd_ops.h"
#include "eager/ops/autograd_ops.h"
#include "python/bindings/convert.h"
#include "python/bindings/errors.h"
#include "python/bindings/gil.h"
#include "python/bindings/objects.h"
#include "python/bindings/tracing_scope.h"
#include "static_graph/executor/tensor_copy.h"

namespace switchyard::python {
namespace {

// An array that can't be written: what Python writes while it traces, no run
// would do again.
PyObject* ReadOnly(PyObject* array) {
  if (array == nullptr) return nullptr;
  PyObject* const done = PyObject_CallMethod(array, "setflags", "O", Py_False);
  if (done == nullptr) Py_CLEAR(array);
  Py_XDECREF(done);
  return array;
}

// The first number of tolist(): an array has the codes of a storage type.
PyObject* FirstNumber(PyObject* tensor) {
  PyObject* item = PyObject_CallMethod(tensor, "tolist", nullptr);
  while (item != nullptr && PyList_Check(item)) {
    PyObject* const first = PySequence_GetItem(item, 0);
    Py_DECREF(item);
    item = first;
  }
  return item;
}

}  // namespace

PyObject* NumpyOfTensor(PyObject* self, PyObject*) {
  const TracingScope* const scope = TracingScope::Innermost();
  if (scope != nullptr && !scope->NoteRead(self)) return nullptr;
  const auto tensor = eager::autograd_ops.Densify(GetTensor(self));
  if (!tensor.ok()) return SetError(Annotate(tensor.status(), "numpy"));
  if (tensor->place() == Place::Cpu()) {
    PyObject* const array = ArrayFromTensor(tensor->dense());
    return IsCaptured(self) ? ReadOnly(array) : array;
  }
  // Other threads run while the device is waited for.
  const auto host = [&] {
    const ReleasedGil released;
    return static_graph::OnHost(tensor->dense());
  }();
  if (!host.ok()) return SetError(Annotate(host.status(), "numpy"));
  return ArrayFromTensor(*host);
}

PyObject* ItemOfTensor(PyObject* self, PyObject*) {
  if (GetTensor(self).numel() != 1) {
    return SetError(ArgumentError("item: tensor", "of one element",
                                  ToString(GetTensor(self).shape())));
  }
  if (IsStorage(GetTensor(self).dtype())) return FirstNumber(self);
  PyObject* array = NumpyOfTensor(self, nullptr);
  if (array == nullptr) return nullptr;
  PyObject* item = PyObject_CallMethod(array, "item", nullptr);
  Py_DECREF(array);
  return item;
}

}  // namespace switchyard::python
