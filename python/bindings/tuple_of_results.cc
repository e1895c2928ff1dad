// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/tuple_of_results.h"

#include <algorithm>
#include <utility>

#include "phi/core/arg_buffer.h"

namespace switchyard::python {
namespace {

// Returns a list that takes over `objects`; null if there is no memory.
PyObject* ListOf(absl::Span<PyObject*> objects) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(objects.size()));
  for (size_t i = 0; list != nullptr && i < objects.size(); ++i) {
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i),
                    std::exchange(objects[i], nullptr));
  }
  return list;
}

}  // namespace

PyObject* TupleOfResults(const phi::OpInfo& info, phi::ArgSegments inputs,
                         absl::Span<const AttrRef> attrs,
                         absl::Span<PyObject*> objects) {
  phi::ArgLayout layout;
  bool complete = phi::LayOutOutputs(info, inputs, attrs, &layout).ok();
  const phi::ArgSegments segments = layout.segments();
  complete &= objects.size() == static_cast<size_t>(segments.size());
  for (PyObject* object : objects) complete &= object != nullptr;
  PyObject* tuple = complete ? PyTuple_New(segments.arguments()) : nullptr;
  for (int i = 0; tuple != nullptr && i < segments.arguments(); ++i) {
    const auto own = objects.subspan(static_cast<size_t>(segments.begin(i)),
                                     static_cast<size_t>(segments.size(i)));
    PyObject* item =
        info.outputs[i].list ? ListOf(own) : std::exchange(own[0], nullptr);
    if (item == nullptr) {
      Py_CLEAR(tuple);
    } else {
      PyTuple_SET_ITEM(tuple, i, item);
    }
  }
  for (PyObject* object : objects) Py_XDECREF(object);
  return tuple;
}

}  // namespace switchyard::python
