// SPDX-License-Identifier: Apache-2.0
// Functions that tell whether something has changed that a traced program
// depends on.
#include <pybind11/pybind11.h>

#include <utility>
#include <vector>

#include "eager/autograd/grad_mode.h"
#include "phi/dispatch/environment.h"
#include "phi/promotion/autocast.h"
#include "python/bindings/bind.h"
#include "python/bindings/changes.h"
#include "python/bindings/errors.h"
#include "python/bindings/objects.h"
#include "python/bindings/tracing_scope.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

// A thread's settings that a trace depends on.
struct ThreadSettings {
  phi::selection::Policy policy;
  Place place;
  DataType autocast;
  eager::GradMode grad_mode;

  friend bool operator==(const ThreadSettings& a, const ThreadSettings& b) {
    return a.policy == b.policy && a.place == b.place &&
           a.autocast == b.autocast && a.grad_mode == b.grad_mode;
  }
};

// Numbers the settings that there were. A process has few; used under the GIL.
size_t NumberOfSettings() {
  static auto* const known = new std::vector<ThreadSettings>();
  const auto& environment = phi::dispatch::Environment::Current();
  const ThreadSettings now = {environment.policy, environment.default_place,
                              phi::promotion::AutocastDtype(),
                              eager::CurrentGradMode()};
  for (size_t i = 0; i < known->size(); ++i) {
    if ((*known)[i] == now) return i;
  }
  known->push_back(now);
  return known->size() - 1;
}

// Returns what the innermost TracingBlock of this thread was given, if a tensor
// was there before it; else None.
py::object CapturesOf(const py::handle& tensor) {
  const TracingScope* const scope = TracingScope::Innermost();
  if (scope == nullptr || !IsTensor(tensor.ptr()) ||
      !scope->Captures(GetTensor(tensor.ptr()))) {
    return py::none();
  }
  return py::reinterpret_borrow<py::object>(scope->captures());
}

const DenseTensor& DenseArgument(const py::handle& object) {
  if (!IsTensor(object.ptr())) {
    ThrowIfError(
        TypeError("tensor", "a tensor", Py_TYPE(object.ptr())->tp_name));
  }
  const eager::Tensor& tensor = GetTensor(object.ptr());
  if (tensor.kind() != TensorKind::kDense) {
    ThrowIfError(TypeError("tensor", "dense", Name(tensor.kind())));
  }
  return tensor.dense();
}

// (address of the first element, bytes of one, strides, whether contiguous):
// equal for tensors that are the same elements, if dtype and shape are equal,
// too.
py::tuple MemoryOf(const py::handle& object) {
  const DenseTensor& dense = DenseArgument(object);
  py::tuple strides(dense.rank());
  for (int axis = 0; axis < dense.rank(); ++axis) {
    strides[axis] = py::int_(dense.strides()[axis]);
  }
  return py::make_tuple(reinterpret_cast<uintptr_t>(dense.raw_data()),
                        ElementSize(dense.dtype()), strides,
                        dense.contiguous());
}

// (a tensor of one axis over the memory from a tensor's first element to its
// last, the position there of the element at index 0). Of a tensor that has
// elements.
py::tuple SpanOf(const py::handle& object) {
  const DenseTensor& dense = DenseArgument(object);
  int64_t before = 0;
  int64_t after = 0;
  for (int axis = 0; axis < dense.rank(); ++axis) {
    const int64_t step = dense.strides()[axis] * (dense.extent(axis) - 1);
    (step < 0 ? before : after) += step;
  }
  DenseTensor span = dense;
  span.SetView(dense, Shape({after - before + 1}), Strides({1}),
               dense.offset() + before);
  PyObject* const wrapped = WrapTensor(eager::Tensor(std::move(span)));
  if (wrapped == nullptr) throw py::error_already_set();
  return py::make_tuple(py::reinterpret_steal<py::object>(wrapped), -before);
}

}  // namespace

void BindWatch(py::module_& module) {
  module.def(
      "changes", [] { return changes.load(std::memory_order_relaxed); },
      "How many writes there were that a traced program may depend on.");
  module.def("note_change", &NoteChange, "Counts one more.");
  module.def("thread_settings", &NumberOfSettings,
             "A number for this thread's policy, place, autocast and grad "
             "mode: equal for equal ones.");
  module.def(
      "captures_of", &CapturesOf, py::arg("tensor"),
      "Returns the captures of the block that this thread is in, if the tensor "
      "was there before it; else None.");
  module.def("memory_of", &MemoryOf, py::arg("tensor"),
             "Where a dense tensor's elements lie.");
  module.def(
      "identity_of",
      [](const py::handle& tensor) {
        return reinterpret_cast<uintptr_t>(&DenseArgument(tensor));
      },
      py::arg("tensor"),
      "Equal for tensors alone that have one gradient: x.detach() has "
      "another.");
  module.def("span_of", &SpanOf, py::arg("tensor"),
             "A dense tensor's memory as a tensor of one axis, and the place "
             "of the element at index 0.");
}

}  // namespace switchyard::python
