// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/hooks.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <utility>
#include <vector>

#include "eager/autograd/own_hooks.h"
#include "python/bindings/changes.h"
#include "python/bindings/errors.h"
#include "python/bindings/gil.h"
#include "python/bindings/objects.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

absl::StatusOr<eager::Tensor> CallHook(PyObject* function,
                                       const eager::Tensor& grad) {
  const HeldGil gil;
  const py::object argument =
      py::reinterpret_steal<py::object>(WrapTensor(grad));
  if (!argument) return StatusOfPythonError();
  const py::object result = py::reinterpret_steal<py::object>(WithGilOrWait(
      [&] { return PyObject_CallOneArg(function, argument.ptr()); }));
  if (!result) return StatusOfPythonError();
  if (result.is_none()) return eager::Tensor();
  if (!IsTensor(result.ptr())) {
    return TypeError("hook: result", "a tensor or None",
                     Py_TYPE(result.ptr())->tp_name);
  }
  return GetTensor(result.ptr());
}

// A type of its own, so that the collector finds the functions among hooks.
struct PythonHook {
  std::shared_ptr<PyObject> function;

  absl::StatusOr<eager::Tensor> operator()(const eager::Tensor& grad) const {
    return CallHook(function.get(), grad);
  }
};

}  // namespace

std::shared_ptr<PyObject> HoldFunction(PyObject* function) {
  Py_INCREF(function);
  return std::shared_ptr<PyObject>(function, [](PyObject* object) {
    const HeldGil gil;
    // It may be freed with what it captured, whose finalizers run.
    WithGilOrWait([object] { Py_DECREF(object); });
  });
}

PyObject* AddHook(PyObject* tensor, PyObject* function) {
  if (!PyCallable_Check(function)) {
    return SetError(TypeError("register_hook: function", "callable",
                              Py_TYPE(function)->tp_name));
  }
  absl::StatusOr<eager::HookHandle> handle =
      GetTensor(tensor).RegisterHook(PythonHook{HoldFunction(function)});
  if (!handle.ok()) return SetError(handle.status());
  NoteChange();
  // Tensors without hooks are in no cycle and cost the collector nothing.
  if (!PyObject_GC_IsTracked(tensor)) PyObject_GC_Track(tensor);
  return py::cast(*std::move(handle)).release().ptr();
}

PyObject* HookFunctions(PyObject* tensor) {
  std::vector<py::object> functions;
  bool foreign = false;
  eager::VisitHooks(GetTensor(tensor), [&](const eager::GradHook& hook) {
    const PythonHook* python = hook.target<PythonHook>();
    foreign |= python == nullptr;
    if (python == nullptr) return;
    functions.push_back(
        py::reinterpret_borrow<py::object>(python->function.get()));
  });
  if (foreign) {
    return SetError(TypeError("hook", "a Python function", "one of C++"));
  }
  return py::tuple(py::cast(functions)).release().ptr();
}

int VisitHooks(const eager::Tensor& tensor, visitproc visit, void* arg) {
  int stopped = 0;
  eager::VisitOwnHooks(tensor, [&](const eager::GradHook& hook) {
    const PythonHook* python = hook.target<PythonHook>();
    // A hook that is running has another owner.
    if (stopped == 0 && python != nullptr &&
        python->function.use_count() == 1) {
      stopped = visit(python->function.get(), arg);
    }
  });
  return stopped;
}

int AddHookType(PyObject* module) {
  try {
    py::class_<eager::HookHandle>(py::handle(module), "HookHandle",
                                  "A registered hook.")
        .def(
            "remove",
            [](eager::HookHandle& handle) {
              handle.Remove();
              NoteChange();
            },
            "Takes the hook away.");
    return 0;
  } catch (py::error_already_set& error) {
    error.restore();
    return -1;
  }
}

}  // namespace switchyard::python
