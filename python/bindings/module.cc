// SPDX-License-Identifier: Apache-2.0
// switchyard._core: the extension module. Tensor, Value and the operators are
// CPython types of ours; everything off the hot path is bound by pybind11 in
// bind_*.cc.
#include <pybind11/pybind11.h>

#include <string>

#include "python/bindings/bind.h"
#include "python/bindings/fuller_form.h"
#include "python/bindings/grad_mode_block.h"
#include "python/bindings/hooks.h"
#include "python/bindings/objects.h"
#include "python/bindings/op_function.h"
#include "python/bindings/plugins.h"

namespace py = pybind11;

PYBIND11_MODULE(_core, module) {
  namespace sy = switchyard::python;
  module.doc() = "The compiled part of switchyard.";
  py::module_ ops = module.def_submodule(
      "ops", "One function for each operator, named as in the YAML.");
  if (sy::AddTensorType(module.ptr()) < 0 ||
      sy::AddValueType(module.ptr()) < 0 ||
      sy::AddSymbolType(module.ptr()) < 0 ||
      sy::AddHookType(module.ptr()) < 0 ||
      sy::AddGradModeBlockType(module.ptr()) < 0 ||
      sy::AddOpFunctions(ops.ptr()) < 0) {
    throw py::error_already_set();
  }
  module.def(
      "method_of",
      [](const py::function& function) {
        PyObject* method = PyInstanceMethod_New(function.ptr());
        if (method == nullptr) throw py::error_already_set();
        return py::reinterpret_steal<py::object>(method);
      },
      py::arg("function"),
      "The function as a class's attribute: built-in ones do not bind.");
  module.def(
      "set_fuller_form",
      [](const std::string& name, const py::function& function) {
        if (!sy::SetFullerForm(name.c_str(), function.ptr())) {
          throw py::value_error("set_fuller_form: no operator " + name);
        }
      },
      py::arg("name"), py::arg("function"),
      "Makes the function what is called with the arguments that the operator "
      "refuses by a TypeError; NotImplemented leaves that error.");
  sy::BindEager(module);
  sy::BindStreams(module);
  sy::BindDlpack(module);
  sy::BindSelection(module);
  sy::BindPrograms(module);
  sy::BindStatic(module);
  sy::BindRewriting(module);
  sy::BindWatch(module);
  sy::BindChecks(module);
  sy::BindLegacy(module);
  sy::BindStrings(module);
  sy::BindCustomOp(module);
  sy::BindFunction(module);
  sy::BindPlugins(module);
}
