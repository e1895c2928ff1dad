// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/hooks.h"

#include <pybind11/pybind11.h>

#include <memory>

#include "python/bindings/errors.h"
#include "python/bindings/objects.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

// The Python function, whose last reference may go on a thread without the GIL.
std::shared_ptr<PyObject> Hold(PyObject* function) {
  Py_INCREF(function);
  return std::shared_ptr<PyObject>(function, [](PyObject* object) {
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(object);
    PyGILState_Release(state);
  });
}

absl::StatusOr<eager::Tensor> CallHook(PyObject* function,
                                       const eager::Tensor& grad) {
  const py::gil_scoped_acquire gil;
  const py::object argument =
      py::reinterpret_steal<py::object>(WrapTensor(grad));
  if (!argument) return StatusOfPythonError();
  const py::object result = py::reinterpret_steal<py::object>(
      PyObject_CallOneArg(function, argument.ptr()));
  if (!result) return StatusOfPythonError();
  if (result.is_none()) return eager::Tensor();
  if (!IsTensor(result.ptr())) {
    return TypeError("hook: result", "a tensor or None",
                     Py_TYPE(result.ptr())->tp_name);
  }
  return TensorOf(result.ptr());
}

}  // namespace

PyObject* AddHook(const eager::Tensor& tensor, PyObject* function) {
  if (!PyCallable_Check(function)) {
    return SetError(TypeError("register_hook: function", "callable",
                              Py_TYPE(function)->tp_name));
  }
  eager::Tensor target = tensor;
  absl::StatusOr<eager::HookHandle> handle =
      target.RegisterHook([held = Hold(function)](const eager::Tensor& grad) {
        return CallHook(held.get(), grad);
      });
  if (!handle.ok()) return SetError(handle.status());
  return py::cast(*std::move(handle)).release().ptr();
}

int AddHookType(PyObject* module) {
  try {
    py::class_<eager::HookHandle>(py::handle(module), "HookHandle",
                                  "A registered hook.")
        .def("remove", &eager::HookHandle::Remove, "Takes the hook away.");
    return 0;
  } catch (py::error_already_set& error) {
    error.restore();
    return -1;
  }
}

}  // namespace switchyard::python
