// SPDX-License-Identifier: Apache-2.0
// The two forms of a call of a sy.autograd.Function: a node in the graph of
// gradients of eager tensors, and a cf.custom_gradient in a traced program.
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eager/autograd/grad_mode.h"
#include "phi/promotion/autocast.h"
#include "python/bindings/bind.h"
#include "python/bindings/errors.h"
#include "python/bindings/function_node.h"
#include "python/bindings/objects.h"
#include "python/bindings/regions.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

using static_graph::ir::Value;

const eager::Tensor& TensorArgument(const std::string& argument,
                                    py::handle object) {
  if (!IsTensor(object.ptr())) {
    ThrowIfError(
        TypeError(argument, "a tensor", Py_TYPE(object.ptr())->tp_name));
  }
  return GetTensor(object.ptr());
}

py::object Wrap(eager::Tensor tensor) {
  PyObject* const wrapped = WrapTensor(std::move(tensor));
  if (wrapped == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(wrapped);
}

py::tuple RecordFunction(const std::string& name, const py::sequence& inputs,
                         const py::sequence& outputs,
                         const py::function& backward) {
  std::vector<eager::Tensor> tensors;
  for (const py::handle input : inputs) {
    tensors.push_back(TensorArgument(name + ": input", input));
  }
  for (const py::handle output : outputs) {
    TensorArgument(name + ": output", output);
  }
  const auto node = RefPtr<eager::GradNode>::Adopt(new FunctionNode(
      name, static_cast<uint32_t>(py::len(outputs)), tensors, backward.ptr()));
  py::tuple results(py::len(outputs));
  for (size_t i = 0; i < results.size(); ++i) {
    const py::object output = outputs[i];
    results[i] =
        Wrap(AsOutput(GetTensor(output.ptr()), node, static_cast<uint32_t>(i)));
  }
  return results;
}

py::tuple TraceFunction(const std::string& name, const py::sequence& inputs,
                        const py::sequence& outputs, py::function backward) {
  std::shared_ptr<Graph> graph;
  for (const py::sequence& values : {inputs, outputs}) {
    for (const py::handle value : values) {
      if (graph == nullptr && IsValue(value.ptr())) {
        graph = GetValue(value.ptr()).graph;
      }
    }
  }
  if (graph == nullptr) {
    ThrowIfError(TypeError(name + ": input", "a value of a graph", "none"));
  }
  LocateAtCaller(*graph);
  std::vector<Value> of, results;
  for (const py::handle value : inputs) {
    of.push_back(ValueArgument(graph, "input", value));
  }
  for (const py::handle value : outputs) {
    results.push_back(ValueOrConstant(graph, "output", value));
  }
  Regions regions(graph);
  const auto rule = regions.Of("gradient", std::move(backward), true);
  absl::StatusOr<std::vector<Value>> made = graph->builder.CustomGradient(
      results, of, [&](absl::Span<const Value> arguments) {
        // As the engine runs the backward of eager calls.
        const phi::promotion::NoAutocastScope no_autocast;
        const eager::GradModeGuard on(eager::GradMode::kOn);
        return rule(arguments);
      });
  if (!made.ok()) made = Annotate(made.status(), name + ": backward");
  return regions.Results(std::move(made));
}

}  // namespace

void BindFunction(py::module_& module) {
  py::class_<FunctionHandle>(module, "FunctionHandle",
                             "A call of a Function, for its backward.")
      .def(
          "output",
          [](const FunctionHandle& handle, py::handle tensor, uint32_t number) {
            const eager::Tensor& value = TensorArgument("output", tensor);
            return Wrap(eager::CurrentGradMode() == eager::GradMode::kOn
                            ? AsOutput(value, handle.node, number)
                            : value);
          },
          py::arg("tensor"), py::arg("number"),
          "The tensor as that result of the call, whose gradients lead to it.");
  module.def(
      "version_of",
      [](py::handle tensor) {
        return TensorArgument("version_of", tensor).version();
      },
      py::arg("tensor"), "How often its memory was written in place.");
  module.def("record_function", &RecordFunction, py::arg("name"),
             py::arg("inputs"), py::arg("outputs"), py::arg("backward"),
             "The outputs as results of a call; backward(handle, grads, "
             "wanted) returns the inputs' gradients.");
  module.def("trace_function", &TraceFunction, py::arg("name"),
             py::arg("inputs"), py::arg("outputs"), py::arg("backward"),
             "The outputs as results of a call in the graph; backward(grads, "
             "results) returns the inputs' gradients.");
}

}  // namespace switchyard::python
