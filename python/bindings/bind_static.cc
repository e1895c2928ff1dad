// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/bindings/bind.h"
#include "python/bindings/convert.h"
#include "python/bindings/errors.h"
#include "python/bindings/graph.h"
#include "python/bindings/objects.h"
#include "python/bindings/optimize.h"
#include "python/bindings/programs.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/kernel_dialect.h"
#include "static_graph/program/saved_program.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

using static_graph::ir::Value;

py::object Wrap(const std::shared_ptr<Graph>& graph, Value value) {
  if (!value) return py::none();
  return py::reinterpret_steal<py::object>(WrapValue(graph, value));
}

Value ValueArgument(const std::shared_ptr<Graph>& graph, const char* argument,
                    py::handle object) {
  if (!IsValue(object.ptr())) {
    ThrowIfError(TypeError(argument, "a value of the graph",
                           Py_TYPE(object.ptr())->tp_name));
  }
  if (ValueOf(object.ptr()).graph != graph) {
    ThrowIfError(
        ArgumentError(argument, "a value of this graph", "another graph's"));
  }
  return ValueOf(object.ptr()).value;
}

Shape ShapeArgument(const py::sequence& extents) {
  Shape shape;
  if (py::len(extents) > kMaxRank) {
    ThrowIfError(ArgumentError(
        "feed: shape", "of at most " + std::to_string(kMaxRank) + " axes",
        std::to_string(py::len(extents))));
  }
  for (const py::handle extent : extents) {
    if (extent.is_none()) {
      shape.push_back(Dim::Unknown());
      continue;
    }
    const auto value = py::cast<int64_t>(extent);
    if (value < 0) {
      ThrowIfError(ArgumentError("feed: shape", "extents from 0, or None",
                                 std::to_string(value)));
    }
    shape.push_back(Dim(value));
  }
  return shape;
}

void BindGraphBuilder(py::module_& module) {
  using Pointer = std::shared_ptr<Graph>;
  py::class_<Graph, Pointer>(module, "GraphBuilder",
                             "A program that is being traced.")
      .def(py::init([](const std::string& name) {
             return ValueOrThrow(Graph::Create(name));
           }),
           py::arg("name"))
      .def(
          "feed",
          [](const Pointer& graph, const std::string& name,
             const py::sequence& shape, const py::object& dtype) {
            const DataType type =
                ValueOrThrow(DataTypeFromObject("feed: dtype", dtype.ptr()));
            return Wrap(graph, ValueOrThrow(graph->AddFeed(
                                   name, type, ShapeArgument(shape))));
          },
          py::arg("name"), py::arg("shape"), py::arg("dtype"),
          "A value that each run is given; None for an unknown extent.")
      .def(
          "state",
          [](const Pointer& graph, const std::string& name,
             const py::handle& tensor) {
            if (!IsTensor(tensor.ptr())) {
              ThrowIfError(TypeError("state: tensor", "a tensor",
                                     Py_TYPE(tensor.ptr())->tp_name));
            }
            const eager::Tensor& like = TensorOf(tensor.ptr());
            return Wrap(graph, ValueOrThrow(graph->AddState(name, like.dtype(),
                                                            like.shape())));
          },
          py::arg("name"), py::arg("tensor"),
          "A value that lives from run to run, of the tensor's type.")
      .def(
          "gradients",
          [](const Pointer& graph, const py::handle& loss,
             const py::sequence& wrt) {
            std::vector<Value> values;
            for (const py::handle value : wrt) {
              values.push_back(ValueArgument(graph, "gradients: wrt", value));
            }
            py::list result;
            for (const Value& gradient : ValueOrThrow(graph->Gradients(
                     ValueArgument(graph, "gradients: loss", loss), values))) {
              result.append(Wrap(graph, gradient));
            }
            return result;
          },
          py::arg("loss"), py::arg("wrt"),
          "Gradients of a one-element value; None where it does not depend.")
      .def("fetch",
           [](const Pointer& graph, const std::string& name,
              const py::handle& value) {
             ThrowIfError(graph->Fetch(
                 name, ValueArgument(graph, "fetch: value", value)));
           })
      .def("update",
           [](const Pointer& graph, const std::string& name,
              const py::handle& value) {
             ThrowIfError(graph->Update(
                 name, ValueArgument(graph, "update: value", value)));
           })
      .def(
          "finish",
          [](const Pointer& graph, bool optimize) {
            ThrowIfError(graph->Finish(optimize));
            return PyProgram(graph->context(), graph->program().Clone());
          },
          py::arg("optimize") = true, "Ends the graph; a Program.");
}

void BindProgram(py::module_& module) {
  py::class_<PyState>(module, "State", "Named tensors of programs.")
      .def(py::init<>())
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
             state.Set(name, TensorOf(tensor.ptr()));
           })
      .def("__contains__",
           [](PyState& state, const std::string& name) {
             return state.state().Find(name) != nullptr;
           })
      .def("keys", &PyState::names);
  py::class_<PyProgram>(module, "Program",
                        "A computation, compiled; immutable.")
      .def("run", &PyProgram::Run, py::arg("feeds"),
           py::arg("state") = py::none(), "{name: array} -> {name: array}")
      .def_property_readonly("feeds", &PyProgram::feeds)
      .def_property_readonly("fetches", &PyProgram::fetches)
      .def_property_readonly("states", &PyProgram::states)
      .def("text", &PyProgram::Text, py::arg("dialect") = "op")
      .def("explain", &PyProgram::Explain, py::arg("feeds") = py::none())
      .def("export", &PyProgram::Export, py::arg("fetches"))
      .def("save", &PyProgram::Save, py::arg("path"), py::arg("state"));
}

std::shared_ptr<static_graph::ir::Context> NewContext() {
  auto context = std::make_shared<static_graph::ir::Context>();
  ThrowIfError(static_graph::RegisterOpDialect(context.get(),
                                               static_graph::AllDialectOps()));
  return context;
}

py::tuple LoadSaved(const std::string& path) {
  auto context = NewContext();
  static_graph::SavedProgram saved =
      ValueOrThrow(static_graph::LoadProgram(context.get(), path));
  PyState state;
  state.Adopt(std::move(saved.state));
  return py::make_tuple(PyProgram(context, std::move(saved.program)),
                        std::move(state));
}

}  // namespace

void BindStatic(py::module_& module) {
  BindGraphBuilder(module);
  BindProgram(module);
  module.def("load_program", &LoadSaved, py::arg("path"),
             "(Program, State) of a file that Program.save wrote.");
}

}  // namespace switchyard::python
