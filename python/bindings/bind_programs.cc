// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "phi/dispatch/environment.h"
#include "phi/selection/policy_text.h"
#include "python/bindings/bind.h"
#include "python/bindings/constructor.h"
#include "python/bindings/convert.h"
#include "python/bindings/eager_program.h"
#include "python/bindings/errors.h"
#include "python/bindings/gil.h"
#include "python/bindings/objects.h"
#include "python/bindings/policy_block.h"
#include "python/bindings/program_export.h"
#include "python/bindings/program_facts.h"
#include "python/bindings/programs.h"
#include "python/bindings/relaxed_argument.h"
#include "python/bindings/signal_check.h"
#include "static_graph/dialect/current_ops.h"
#include "static_graph/ir/printer.h"
#include "static_graph/model/export_onnx.h"
#include "static_graph/model/load_model.h"
#include "static_graph/model/model_files.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

// The words of an argument `relaxed` as one text.
std::string RelaxedText(py::handle relaxed) {
  if (!py::isinstance<py::dict>(relaxed)) {
    // For its errors; what the words change is for LoadModel().
    RelaxedArgument(relaxed, {});
    return relaxed.is_none() ? "" : relaxed.cast<std::string>();
  }
  RelaxedArgument(relaxed, {});
  std::string text;
  for (const auto& [name, value] : relaxed.cast<py::dict>()) {
    absl::StrAppend(&text, text.empty() ? "" : ",", name.cast<std::string>(),
                    "=", value.cast<std::string>());
  }
  return text;
}

py::object Wrapped(const static_graph::LoadedModel& model,
                   static_graph::ModelProgram program) {
  return py::cast(PyProgram(model.context, std::move(program.graph),
                            model.options, std::move(program.executable)));
}

// `stages` may be null; else the program's text at each stage of loading is
// added to it: (name, text).
py::tuple LoadModel(const std::string& path, const std::string& weights,
                    py::handle policy, std::optional<py::list> stages,
                    bool library_attributes, py::handle relaxed,
                    const std::vector<std::string>& without,
                    bool strict_kernels) {
  static_graph::LoadOptions options;
  options.weights = weights;
  options.policy = PolicyArgument(policy);
  options.place = phi::dispatch::Environment::Current().default_place;
  options.relaxed = RelaxedText(relaxed);
  options.without = without;
  options.library_attributes = library_attributes;
  options.strict_kernels = strict_kernels;
  if (stages.has_value()) {
    options.at_stage = [&](std::string_view name,
                           const static_graph::ir::Program& program) {
      const std::string text = static_graph::ir::Print(program);
      const HeldGil gil;
      stages->append(py::make_tuple(std::string(name), text));
    };
  }
  const auto ops = static_graph::CurrentDialectOps();
  absl::StatusOr<static_graph::LoadedModel> loaded = [&] {
    const ReleasedGil released;
    return static_graph::LoadModel(ops, path, std::move(options));
  }();
  static_graph::LoadedModel model = ValueOrThrow(std::move(loaded));
  PyState state;
  for (const static_graph::State::Entry& entry : model.state.entries()) {
    state.Set(entry.name, eager::Tensor(entry.tensor));
  }
  py::object startup = py::none();
  if (model.startup.has_value()) {
    startup = Wrapped(model, *std::move(model.startup));
  }
  return py::make_tuple(Wrapped(model, std::move(model.main)), std::move(state),
                        std::move(startup), model.needs_startup, model.warning);
}

// `axes` are {(port, axis): name}, `external` is None for "where it must be".
void ExportOnnxFile(
    const PyProgram& program, const std::string& path, PyState& state,
    int64_t opset,
    const std::map<std::pair<std::string, int>, std::string>& axes,
    const std::map<std::string, std::string>& metadata, const std::string& doc,
    std::optional<bool> external) {
  static_graph::OnnxOutOptions options;
  options.opset = opset;
  options.axes = axes;
  options.doc = doc;
  options.metadata.assign(metadata.begin(), metadata.end());
  auto where = static_graph::ExternalData::kWhenTooLarge;
  if (external.has_value()) {
    where = *external ? static_graph::ExternalData::kAlways
                      : static_graph::ExternalData::kNever;
  }
  ExportOnnx(program, path, state, options, where);
}

// The word of a file's format; none for a folder.
std::optional<std::string> FormatWord(const std::string& path) {
  const auto format = static_graph::FormatOfPath(path);
  if (!format.has_value()) return std::nullopt;
  return std::string(static_graph::Name(*format));
}

// Runs a program by the eager executor on tensors, of states too, and returns
// {name: tensor}, whose gradients are recorded.
py::dict Recorded(const PyProgram& program, const py::dict& feeds,
                  const py::dict& states) {
  const auto tensors = [](const py::dict& given) {
    NamedTensors named;
    for (const auto& [name, tensor] : given) {
      const std::string key = py::cast<std::string>(name);
      if (!IsTensor(tensor.ptr())) {
        ThrowIfError(
            TypeError(key, "a tensor", Py_TYPE(tensor.ptr())->tp_name));
      }
      named.emplace_back(key, GetTensor(tensor.ptr()));
    }
    return named;
  };
  const NamedTensors fed = tensors(feeds), held = tensors(states);
  EagerProgram run(program.graph(), nullptr, program.lowering(), SignalCheck(),
                   false);
  absl::StatusOr<NamedTensors> fetched;
  {
    const ReleasedGil released;
    fetched = run.Run(fed, &held);
  }
  py::dict results;
  for (const auto& [name, tensor] : ValueOrThrow(std::move(fetched))) {
    PyObject* const object = WrapTensor(tensor);
    if (object == nullptr) throw py::error_already_set();
    results[py::str(name)] = py::reinterpret_steal<py::object>(object);
  }
  return results;
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
      .def("record", &Recorded, py::arg("feeds"), py::arg("states"),
           "What a run by the eager executor returns, of tensors by name, with "
           "gradients as of any eager call.")
      .def_property_readonly("feeds",
                             [](const PyProgram& program) {
                               return NamesOf(program.executable().feeds());
                             })
      .def_property_readonly("fetches",
                             [](const PyProgram& program) {
                               return NamesOf(program.executable().fetches());
                             })
      .def_property_readonly("states",
                             [](const PyProgram& program) {
                               return NamesOf(program.executable().states());
                             })
      .def_property_readonly(
          "written_states",
          [](const PyProgram& program) {
            return NamesOf(program.graph().new_states());
          },
          "The names of the states that each run writes.")
      .def_property_readonly("feed_specs",
                             [](const PyProgram& program) {
                               return SpecsOf(program.executable().feeds());
                             })
      .def_property_readonly("fetch_specs",
                             [](const PyProgram& program) {
                               return SpecsOf(program.executable().fetches());
                             })
      .def_property_readonly("maps", &MapsOf)
      .def_property_readonly(
          "relaxed",
          [](const PyProgram& program) {
            return DictOf(program.lowering().relaxed);
          },
          "{name: value} of the choices that it was compiled with.")
      .def_property_readonly(
          "policy",
          [](const PyProgram& program) {
            return phi::selection::ToString(program.lowering().policy);
          },
          "The selection policy that it was compiled with, as text.")
      .def_property("detect_anomaly", &PyProgram::detects_anomalies,
                    &PyProgram::SetDetectsAnomalies)
      .def("text", &ProgramText, py::arg("form") = "op")
      .def("explain", &ExplainProgram, py::arg("feeds") = py::none(),
           py::arg("json") = false, py::arg("state") = py::none())
      .def("selections", &SelectionsOf, py::arg("feeds") = py::none(),
           py::arg("state") = py::none())
      .def("memory", &PlannedMemoryOf, py::arg("feeds") = py::none(),
           "The memory that a run with feeds of these shapes plans: (places, "
           "blocks, steps), or None where a run plans it part by part.")
      .def("export", &ExportInference, py::arg("fetches"))
      .def("export_onnx", &ExportOnnxFile, py::arg("path"), py::arg("state"),
           py::arg("opset"), py::arg("axes"), py::arg("metadata"),
           py::arg("doc"), py::arg("external"),
           "Writes an ONNX model of what it computes, without training.")
      .def("save", &SaveProgram, py::arg("path"), py::arg("state"),
           py::arg("lock_kernels") = false);
  module.def("load_model", &LoadModel, py::arg("path"), py::arg("weights") = "",
             py::arg("policy") = py::none(), py::arg("stages") = py::none(),
             py::arg("library_attributes") = false,
             py::arg("relaxed") = py::none(),
             py::arg("without") = std::vector<std::string>(),
             py::arg("strict_kernels") = false,
             "(Program, State, startup, needs_startup, warning) of a file that "
             "Program.save wrote, or of a PaddlePaddle program and its "
             "weights; startup is the Program that initialises the State, or "
             "None, warning a text or empty. A list of `stages` gets (name, "
             "text) as imported and after each pass.");
  module.def(
      "model_format", &FormatWord, py::arg("path"),
      "\"saved\", \"paddle_desc\", \"paddle_json\" or \"onnx\", as a file "
      "would be read; None for a folder.");
}

}  // namespace switchyard::python
