// SPDX-License-Identifier: Apache-2.0
// x[...] of a Tensor or a Value: plain subscripts here, the rest in
// switchyard/indexing.py and index_write.py.
#include <string>
#include <vector>

#include "python/bindings/convert.h"
#include "python/bindings/errors.h"
#include "python/bindings/named_op.h"
#include "python/bindings/objects.h"
#include "python/bindings/operators.h"
#include "python/bindings/python_function.h"
#include "python/bindings/tracing_scope.h"

namespace switchyard::python {
namespace {

const Shape& ShapeOf(PyObject* x) {
  return IsTensor(x) ? GetTensor(x).base().shape() : GetValue(x).type.shape();
}

// One subscript, read: what to slice and which axes to drop.
struct Index {
  std::vector<int64_t> axes, starts, ends;
  std::vector<bool> dropped;  // By axis of x.
};

// The kind of a subscript, as Read finds it.
enum class IndexKind { kPlain, kOther, kError };

IndexKind ReadInteger(PyObject* item, const Shape& shape, int axis,
                      Index* index) {
  const Py_ssize_t at = PyNumber_AsSsize_t(item, PyExc_IndexError);
  if (at == -1 && PyErr_Occurred() != nullptr) return IndexKind::kError;
  if (shape[axis].known()) {
    const int64_t extent = shape.extent(axis);
    if (at < -extent || at >= extent) {
      PyErr_Format(PyExc_IndexError,
                   "index: axis %d must be in [%lld, %lld), got %zd", axis,
                   static_cast<long long>(-extent),
                   static_cast<long long>(extent), at);
      return IndexKind::kError;
    }
  }
  index->axes.push_back(axis);
  index->starts.push_back(at);
  // -1 + 1 would be 0, the front: "to the end" is what is meant.
  index->ends.push_back(at == -1 ? INT64_MAX : at + 1);
  index->dropped[axis] = true;
  return IndexKind::kPlain;
}

// Whether a graph knows an end or the step of a slice only in a run.
bool IsOpen(PyObject* item) {
  const auto* slice = reinterpret_cast<const PySliceObject*>(item);
  for (PyObject* part : {slice->start, slice->stop, slice->step}) {
    if (IsValue(part) || IsSymbol(part)) return true;
  }
  return false;
}

IndexKind ReadItem(PyObject* item, const Shape& shape, int axis, Index* index) {
  if (PyLong_CheckExact(item)) return ReadInteger(item, shape, axis, index);
  if (!PySlice_Check(item) || IsOpen(item)) return IndexKind::kOther;
  Py_ssize_t start = 0, stop = 0, step = 0;
  if (PySlice_Unpack(item, &start, &stop, &step) < 0) return IndexKind::kError;
  if (step != 1) return IndexKind::kOther;
  index->axes.push_back(axis);
  index->starts.push_back(start);
  index->ends.push_back(stop);
  return IndexKind::kPlain;
}

std::vector<int64_t> DroppedAxes(const Index& index) {
  std::vector<int64_t> axes;
  for (size_t axis = 0; axis < index.dropped.size(); ++axis) {
    if (index.dropped[axis]) axes.push_back(static_cast<int64_t>(axis));
  }
  return axes;
}

IndexKind Read(PyObject* subscript, const Shape& shape, Index* index) {
  index->dropped.assign(shape.rank(), false);
  PyObject* const* items = &subscript;
  Py_ssize_t count = 1;
  if (PyTuple_Check(subscript)) {
    items = PySequence_Fast_ITEMS(subscript);
    count = PyTuple_GET_SIZE(subscript);
  }
  int named = 0;
  for (Py_ssize_t i = 0; i < count; ++i) named += items[i] != Py_Ellipsis;
  if (named > shape.rank() || named < count - 1) return IndexKind::kOther;
  int axis = 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (items[i] == Py_Ellipsis) {
      axis += shape.rank() - named;
      continue;
    }
    const IndexKind kind = ReadItem(items[i], shape, axis++, index);
    if (kind != IndexKind::kPlain) return kind;
  }
  return IndexKind::kPlain;
}

// x without the dropped axes, which have extent 1 by now.
PyObject* DropAxes(PyObject* x, const Index& index) {
  static NamedOp squeeze("squeeze");
  PyObject* list = MakeList(DroppedAxes(index));
  if (list == nullptr) return nullptr;
  PyObject* result = squeeze({x, list});
  Py_DECREF(list);
  return result;
}

// The slice and the dropping in one operator: where a graph doesn't know the
// extents that it drops, this one looks in the run.
PyObject* SliceAndDrop(PyObject* x, PyObject* axes, PyObject* starts,
                       PyObject* ends, const Index& index) {
  static NamedOp slice("legacy_slice");
  PyObject* list = MakeList(DroppedAxes(index));
  if (list == nullptr) return nullptr;
  PyObject* result = slice({x, axes, starts, ends, list});
  Py_DECREF(list);
  return result;
}

// x[index], of the arguments that a slice takes.
PyObject* Take(PyObject* x, PyObject* axes, PyObject* starts, PyObject* ends,
               const Index& index) {
  static NamedOp slice("slice");
  const Shape& shape = ShapeOf(x);
  bool drops = false, known = true;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    drops |= index.dropped[axis];
    known &= !index.dropped[axis] || shape[axis].known();
  }
  if (!known) return SliceAndDrop(x, axes, starts, ends, index);
  PyObject* sliced = slice({x, axes, starts, ends});
  if (sliced == nullptr || !drops) return sliced;
  PyObject* result = DropAxes(sliced, index);
  Py_DECREF(sliced);
  return result;
}

}  // namespace

PyObject* Subscript(PyObject* x, PyObject* subscript) {
  if (IsTensor(x) && GetTensor(x).kind() != TensorKind::kDense) {
    return SetError(TypeError("index: tensor", "dense (use x.to_dense())",
                              Name(GetTensor(x).kind())));
  }
  Index index;
  switch (Read(subscript, ShapeOf(x), &index)) {
    case IndexKind::kError:
      return nullptr;
    case IndexKind::kOther:
      return CallPython("switchyard.indexing", "getitem", {x, subscript});
    case IndexKind::kPlain:
      break;
  }
  PyObject* axes = MakeList(index.axes);
  PyObject* starts = MakeList(index.starts);
  PyObject* ends = MakeList(index.ends);
  PyObject* taken = nullptr;
  if (axes != nullptr && starts != nullptr && ends != nullptr) {
    taken = Take(x, axes, starts, ends, index);
  }
  Py_XDECREF(axes);
  Py_XDECREF(starts);
  Py_XDECREF(ends);
  return taken;
}

int AssignSubscript(PyObject* x, PyObject* subscript, PyObject* value) {
  if (value == nullptr) {
    PyErr_SetString(PyExc_TypeError, "a tensor's elements can't be deleted");
    return -1;
  }
  const bool traced = IsValue(x) || TracingScope::Innermost() != nullptr;
  PyObject* done =
      CallPython("switchyard.index_write", traced ? "trace_setitem" : "setitem",
                 {x, subscript, value});
  Py_XDECREF(done);
  return done == nullptr ? -1 : 0;
}

}  // namespace switchyard::python
