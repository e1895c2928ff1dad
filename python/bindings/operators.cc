// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/operators.h"

#include <vector>

#include "python/bindings/objects.h"
#include "python/bindings/op_call.h"

namespace switchyard::python {
namespace {

PyObject* Binary(const char* op, PyObject* a, PyObject* b) {
  PyObject* args[] = {a, b};
  return CallOpFunction(op, args, 2);
}

const Shape& ShapeOf(PyObject* x) {
  return IsTensor(x) ? TensorOf(x).dense().shape()
                     : ValueOf(x).value.type().shape();
}

// One subscript, read: what to slice and which axes to drop.
struct Index {
  std::vector<int64_t> axes, starts, ends;
  std::vector<bool> dropped;  // By axis of x.
};

bool IndexError(const char* what) {
  PyErr_SetString(PyExc_IndexError, what);
  return false;
}

bool AddItem(PyObject* item, const Shape& shape, int axis, Index* index) {
  if (PySlice_Check(item)) {
    Py_ssize_t start = 0, stop = 0, step = 0;
    if (PySlice_Unpack(item, &start, &stop, &step) < 0) return false;
    if (step != 1) return IndexError("index: a slice's step must be 1");
    index->axes.push_back(axis);
    index->starts.push_back(start);
    index->ends.push_back(stop);
    return true;
  }
  const Py_ssize_t at = PyNumber_AsSsize_t(item, PyExc_IndexError);
  if (at == -1 && PyErr_Occurred() != nullptr) return false;
  if (shape[axis].known()) {
    const int64_t extent = shape.extent(axis);
    if (at < -extent || at >= extent) {
      PyErr_Format(PyExc_IndexError,
                   "index: axis %d must be in [%lld, %lld), got %zd", axis,
                   static_cast<long long>(-extent),
                   static_cast<long long>(extent), at);
      return false;
    }
  }
  index->axes.push_back(axis);
  index->starts.push_back(at);
  // -1 + 1 would be 0, the front: "to the end" is what is meant.
  index->ends.push_back(at == -1 ? INT64_MAX : at + 1);
  index->dropped[axis] = true;
  return true;
}

bool Read(PyObject* subscript, const Shape& shape, Index* index) {
  index->dropped.assign(shape.rank(), false);
  std::vector<PyObject*> items;
  if (PyTuple_Check(subscript)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(subscript); ++i) {
      items.push_back(PyTuple_GET_ITEM(subscript, i));
    }
  } else {
    items.push_back(subscript);
  }
  int named = 0;
  for (PyObject* item : items) named += item != Py_Ellipsis;
  if (named > shape.rank())
    return IndexError("index: more than there are axes");
  int axis = 0;
  for (PyObject* item : items) {
    if (item == Py_Ellipsis) {
      axis += shape.rank() - named;
    } else if (!AddItem(item, shape, axis++, index)) {
      return false;
    }
  }
  return true;
}

PyObject* ListOf(const std::vector<int64_t>& values) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i),
                    PyLong_FromLongLong(values[i]));
  }
  return list;
}

// x without the dropped axes, which have extent 1 by now.
PyObject* DropAxes(PyObject* x, const Index& index) {
  const Shape& shape = ShapeOf(x);
  std::vector<int64_t> extents;
  int unknown = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (index.dropped[axis]) continue;
    unknown += !shape[axis].known();
    extents.push_back(shape[axis].known() ? shape.extent(axis) : -1);
  }
  if (unknown > 1) {
    PyErr_SetString(PyExc_NotImplementedError,
                    "index: at most one unknown extent may remain");
    return nullptr;
  }
  PyObject* list = ListOf(extents);
  PyObject* args[] = {x, list};
  PyObject* result = CallOpFunction("reshape", args, 2);
  Py_DECREF(list);
  return result;
}

}  // namespace

PyObject* Add(PyObject* a, PyObject* b) { return Binary("add", a, b); }
PyObject* Subtract(PyObject* a, PyObject* b) {
  return Binary("subtract", a, b);
}
PyObject* Multiply(PyObject* a, PyObject* b) {
  return Binary("multiply", a, b);
}
PyObject* Divide(PyObject* a, PyObject* b) { return Binary("divide", a, b); }
PyObject* Matmul(PyObject* a, PyObject* b) { return Binary("matmul", a, b); }

PyObject* Negative(PyObject* a) {
  PyObject* minus = PyFloat_FromDouble(-1.0);
  PyObject* args[] = {a, minus};
  PyObject* result = CallOpFunction("scale", args, 2);
  Py_DECREF(minus);
  return result;
}

PyObject* Compare(PyObject* a, PyObject* b, int comparison) {
  switch (comparison) {
    case Py_EQ:
      return Binary("equal", a, b);
    case Py_LT:
      return Binary("less_than", a, b);
    case Py_GT:
      return Binary("less_than", b, a);
    default:
      Py_RETURN_NOTIMPLEMENTED;
  }
}

PyObject* Subscript(PyObject* x, PyObject* subscript) {
  Index index;
  if (!Read(subscript, ShapeOf(x), &index)) return nullptr;
  PyObject* axes = ListOf(index.axes);
  PyObject* starts = ListOf(index.starts);
  PyObject* ends = ListOf(index.ends);
  PyObject* args[] = {x, axes, starts, ends};
  PyObject* sliced = CallOpFunction("slice", args, 4);
  Py_DECREF(axes);
  Py_DECREF(starts);
  Py_DECREF(ends);
  if (sliced == nullptr) return nullptr;
  for (bool dropped : index.dropped) {
    if (!dropped) continue;
    PyObject* result = DropAxes(sliced, index);
    Py_DECREF(sliced);
    return result;
  }
  return sliced;
}

}  // namespace switchyard::python
