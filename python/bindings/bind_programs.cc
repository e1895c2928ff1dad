// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "phi/dispatch/environment.h"
#include "python/bindings/bind.h"
#include "python/bindings/constructor.h"
#include "python/bindings/errors.h"
#include "python/bindings/objects.h"
#include "python/bindings/policy_block.h"
#include "python/bindings/programs.h"
#include "python/bindings/relaxed_argument.h"
#include "static_graph/program/saved_program.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

// A file went through its passes when it was saved, so that the record of
// `relaxed` must agree with what they did.
static_graph::RelaxedChoices RelaxedOfFile(
    py::handle relaxed, const static_graph::RelaxedChoices& saved) {
  const static_graph::RelaxedChoices wanted = RelaxedArgument(relaxed, saved);
  static_graph::RelaxedChoices possible = wanted;
  possible.fusion = saved.fusion;
  possible.precision = saved.precision;
  if (possible != wanted) {
    ThrowIfError(ArgumentError(
        "relaxed: fusion and precision",
        "as the program was saved with, " + static_graph::ToString(saved),
        static_graph::ToString(wanted)));
  }
  return wanted;
}

py::tuple LoadSaved(const std::string& path, py::handle policy,
                    py::handle relaxed) {
  static_graph::LoweringOptions lowering;
  lowering.policy = PolicyArgument(policy);
  lowering.place = phi::dispatch::Environment::Current().default_place;
  auto context = NewContext();
  static_graph::SavedProgram saved =
      ValueOrThrow(static_graph::LoadProgram(context.get(), path));
  lowering.relaxed = RelaxedOfFile(relaxed, saved.relaxed);
  PyState state;
  state.Adopt(std::move(saved.state), lowering.place);
  PyProgram program(context, std::move(saved.program), lowering);
  std::vector<std::string> differences;
  if (saved.lock.has_value()) {
    differences = program.DifferencesFrom(*saved.lock);
  }
  return py::make_tuple(std::move(program), std::move(state),
                        std::move(differences));
}

}  // namespace

void BindPrograms(py::module_& module) {
  py::class_<PyState> state(module, "State", "Named tensors of programs.");
  AddConstructor(state, [] { return PyState(); });
  state
      .def("__getitem__",
           [](const PyState& state, const std::string& name) {
             return py::reinterpret_steal<py::object>(
                 WrapTensor(state.Get(name)));
           })
      .def("__setitem__",
           [](PyState& state, const std::string& name,
              const py::handle& tensor) {
             if (!IsTensor(tensor.ptr())) {
               ThrowIfError(TypeError("state", "a tensor",
                                      Py_TYPE(tensor.ptr())->tp_name));
             }
             state.Set(name, GetTensor(tensor.ptr()));
           })
      .def("__contains__",
           [](PyState& state, const std::string& name) {
             return state.state().Find(name) != nullptr;
           })
      .def("keys", &PyState::names);
  py::class_<PyProgram>(module, "Program",
                        "A computation, compiled; immutable.")
      .def("run", &PyProgram::Run, py::arg("feeds"),
           py::arg("state") = py::none(), py::arg("asynchronous") = false,
           py::arg("tensors") = false,
           "{name: array} -> {name: array}, or tensors. On a device an "
           "asynchronous run waits for the arrays that it returns alone; if it "
           "fails, the states that it writes are lost, and reading one raises "
           "its error.")
      .def("profile", &PyProgram::Profile, py::arg("feeds"),
           py::arg("state") = py::none(),
           "What run returns, with tensors, and the run's steps: (operator, "
           "kernel, location, begin, end in ns).")
      .def("run_eagerly", &PyProgram::RunEagerly, py::arg("feeds"),
           py::arg("state") = py::none(), py::arg("tensors") = false,
           py::arg("profile") = false,
           "What run returns, and the steps as profile has them, of a run by "
           "the eager executor, an operator after the other.")
      .def_property_readonly("feeds", &PyProgram::feeds)
      .def_property_readonly("fetches", &PyProgram::fetches)
      .def_property_readonly("states", &PyProgram::states)
      .def_property_readonly("written_states", &PyProgram::written_states)
      .def_property_readonly("feed_specs", &PyProgram::feed_specs)
      .def_property_readonly("fetch_specs", &PyProgram::fetch_specs)
      .def_property_readonly("relaxed", &PyProgram::relaxed)
      .def("text", &PyProgram::Text, py::arg("form") = "op")
      .def("explain", &PyProgram::Explain, py::arg("feeds") = py::none(),
           py::arg("json") = false)
      .def("selections", &PyProgram::Selections, py::arg("feeds") = py::none(),
           py::arg("state") = py::none())
      .def("export", &PyProgram::Export, py::arg("fetches"))
      .def("save", &PyProgram::Save, py::arg("path"), py::arg("state"),
           py::arg("lock_kernels") = false);
  module.def("load_program", &LoadSaved, py::arg("path"),
             py::arg("policy") = py::none(), py::arg("relaxed") = py::none(),
             "(Program, State, how the kernels differ from those that the "
             "file has locked) of a file that Program.save wrote.");
}

}  // namespace switchyard::python
