// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/types/tensor_kind.h"
#include "phi/core/kernel_tables.h"
#include "phi/dispatch/environment.h"
#include "python/bindings/bind.h"
#include "python/bindings/constructor.h"
#include "python/bindings/convert.h"
#include "python/bindings/errors.h"
#include "python/bindings/objects.h"
#include "python/bindings/policy_block.h"
#include "python/bindings/programs.h"
#include "python/bindings/relaxed_argument.h"
#include "python/bindings/trace_call.h"
#include "static_graph/program/pipeline.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

using static_graph::ir::Value;

py::object Wrap(const std::shared_ptr<Graph>& graph, Value value) {
  if (!value) return py::none();
  PyObject* wrapped = WrapValue(graph, value);
  if (wrapped == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(wrapped);
}

Value ValueArgument(const std::shared_ptr<Graph>& graph, const char* argument,
                    py::handle object) {
  if (!IsValue(object.ptr())) {
    ThrowIfError(TypeError(argument, "a value of the graph",
                           Py_TYPE(object.ptr())->tp_name));
  }
  if (GetValue(object.ptr()).graph != graph) {
    ThrowIfError(
        ArgumentError(argument, "a value of this graph", "another graph's"));
  }
  ThrowIfError(
      graph->builder.CheckVisible(argument, GetValue(object.ptr()).region));
  return GetValue(object.ptr()).value;
}

// A name stands for one extent, None for one that nothing else is equal to.
Shape ShapeArgument(Graph& graph, const py::sequence& extents) {
  Shape shape;
  if (py::len(extents) > kMaxRank) {
    ThrowIfError(ArgumentError(
        "feed: shape", "of at most " + std::to_string(kMaxRank) + " axes",
        std::to_string(py::len(extents))));
  }
  for (const py::handle extent : extents) {
    if (extent.is_none() || py::isinstance<py::str>(extent)) {
      shape.push_back(graph.builder.Symbol(
          extent.is_none() ? "" : py::cast<std::string>(extent)));
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

TensorKind KindArgument(const std::string& name) {
  const std::optional<TensorKind> kind = ParseTensorKind(name);
  if (!kind.has_value()) {
    ThrowIfError(ArgumentError(
        "feed: kind",
        "dense, selected_rows, sparse_coo, sparse_csr or tensor_array",
        "'" + name + "'"));
  }
  return *kind;
}

// A value of the graph; numbers, arrays and eager tensors become constants.
Value ValueOrConstant(const std::shared_ptr<Graph>& graph, const char* argument,
                      py::handle object) {
  if (IsValue(object.ptr())) return ValueArgument(graph, argument, object);
  if (IsTensor(object.ptr())) {
    return ValueOrThrow(EagerConstant(*graph, argument, object.ptr()));
  }
  return ValueOrThrow(graph->builder.Constant(ValueOrThrow(
      TensorFromObject(argument, object.ptr(), DataType::kUndefined))));
}

// Python functions as regions. What one raises goes through the graph's code as
// a status, which ends the building, and is thrown again after it.
class Regions {
 public:
  explicit Regions(std::shared_ptr<Graph> graph) : graph_(std::move(graph)) {}

  // `function` returns a sequence.
  static_graph::GraphBuilder::RegionFunction Of(const char* argument,
                                                py::object function) {
    return [this, argument,
            function = std::move(function)](absl::Span<const Value> arguments)
               -> absl::StatusOr<std::vector<Value>> {
      try {
        py::tuple wrapped(arguments.size());
        for (size_t i = 0; i < arguments.size(); ++i) {
          wrapped[i] = Wrap(graph_, arguments[i]);
        }
        std::vector<Value> values;
        for (const py::handle value : py::object(function(*wrapped))) {
          values.push_back(ValueOrConstant(graph_, argument, value));
        }
        return values;
      } catch (...) {
        raised_ = std::current_exception();
        return absl::InternalError("it raised an exception");
      }
    };
  }

  py::tuple Results(absl::StatusOr<std::vector<Value>> values) {
    if (raised_ != nullptr) std::rethrow_exception(raised_);
    std::vector<Value> made = ValueOrThrow(std::move(values));
    ThrowIfError(StopGradients(*graph_, &made));
    py::tuple results(made.size());
    for (size_t i = 0; i < made.size(); ++i) {
      results[i] = Wrap(graph_, made[i]);
    }
    return results;
  }

 private:
  std::shared_ptr<Graph> graph_;
  std::exception_ptr raised_;
};

// Functions of the module, for switchyard.static.cond and while_loop.
void BindControlFlow(py::module_& module) {
  module.def(
      "trace_cond",
      [](const py::handle& condition, py::object then_branch,
         py::object else_branch) {
        if (!IsValue(condition.ptr())) {
          ThrowIfError(TypeError("cond: condition", "a value of a graph",
                                 Py_TYPE(condition.ptr())->tp_name));
        }
        const std::shared_ptr<Graph> graph = GetValue(condition.ptr()).graph;
        const Value value = ValueArgument(graph, "cond: condition", condition);
        LocateAtCaller(*graph);
        Regions regions(graph);
        const auto then_region = regions.Of("cond: then", then_branch);
        const auto else_region = regions.Of("cond: otherwise", else_branch);
        return regions.Results(
            graph->builder.If(value, then_region, else_region));
      },
      py::arg("condition"), py::arg("then"), py::arg("otherwise"),
      "What both functions, of no arguments, return as tuples.");
  module.def(
      "trace_while",
      [](py::object condition, py::object body, const py::sequence& init,
         const py::handle& of) {
        if (!IsValue(of.ptr())) {
          ThrowIfError(TypeError("while_loop: of", "a value of a graph",
                                 Py_TYPE(of.ptr())->tp_name));
        }
        const std::shared_ptr<Graph> graph = GetValue(of.ptr()).graph;
        std::vector<Value> values;
        for (const py::handle value : init) {
          values.push_back(ValueOrConstant(graph, "while_loop: init", value));
        }
        LocateAtCaller(*graph);
        Regions regions(graph);
        const auto condition_region =
            regions.Of("while_loop: condition", condition);
        const auto body_region = regions.Of("while_loop: body", body);
        return regions.Results(
            graph->builder.While(values, condition_region, body_region));
      },
      py::arg("condition"), py::arg("body"), py::arg("init"), py::arg("of"),
      "The values that `body` returned last, as a tuple, in the graph of "
      "`of`.");
}

// The object that GraphBuilder is in Python. Not the Graph itself with its
// shared_ptr as pybind11's holder: pybind11 destroys both if memory runs out
// between the two.
struct GraphHandle {
  std::shared_ptr<Graph> graph;
};

py::list Gradients(const GraphHandle& handle, const py::handle& loss,
                   const py::sequence& wrt) {
  const std::shared_ptr<Graph>& graph = handle.graph;
  std::vector<Value> values;
  for (const py::handle value : wrt) {
    values.push_back(ValueArgument(graph, "gradients: wrt", value));
  }
  LocateAtCaller(*graph);
  const std::vector<Value> gradients = ValueOrThrow(graph->builder.Gradients(
      ValueArgument(graph, "gradients: loss", loss), values));
  py::list result;
  for (const Value& gradient : gradients) result.append(Wrap(graph, gradient));
  return result;
}

py::object AddState(const GraphHandle& handle, const std::string& name,
                    const py::handle& tensor) {
  if (!IsTensor(tensor.ptr())) {
    ThrowIfError(
        TypeError("state: tensor", "a tensor", Py_TYPE(tensor.ptr())->tp_name));
  }
  const eager::Tensor& like = GetTensor(tensor.ptr());
  if (like.kind() != TensorKind::kDense) {
    ThrowIfError(TypeError("state " + name, "dense", Name(like.kind())));
  }
  return Wrap(handle.graph, ValueOrThrow(handle.graph->builder.AddState(
                                name, like.dtype(), like.shape())));
}

PyProgram Finish(const GraphHandle& handle, bool optimize, py::handle relaxed,
                 py::handle policy) {
  static_graph::LoweringOptions lowering;
  lowering.relaxed = RelaxedArgument(relaxed, {});
  lowering.policy = PolicyArgument(policy);
  lowering.place = phi::dispatch::Environment::Current().default_place;
  static_graph::ir::Program program =
      ValueOrThrow(handle.graph->builder.Finish());
  ThrowIfError(optimize ? static_graph::Optimize(
                              program, phi::KernelTables::Current(), lowering)
                        : static_graph::BringToValueForm(program));
  return PyProgram(handle.graph->context, std::move(program), lowering,
                   /*verified=*/true);
}

void BindGraphBuilder(py::module_& module) {
  py::class_<GraphHandle> type(module, "GraphBuilder",
                               "A program that is being traced.");
  AddConstructor<const std::string&>(
      type,
      [](const std::string& name) {
        return GraphHandle{std::make_shared<Graph>(NewContext(), name)};
      },
      py::arg("name"));
  type.def(
          "feed",
          [](const GraphHandle& handle, const std::string& name,
             const py::sequence& shape, const py::object& dtype,
             const std::string& kind) {
            const DataType type =
                ValueOrThrow(DataTypeFromObject("feed: dtype", dtype.ptr()));
            const Shape extents = ShapeArgument(*handle.graph, shape);
            return Wrap(handle.graph,
                        ValueOrThrow(handle.graph->builder.AddFeed(
                            name, type, extents, KindArgument(kind))));
          },
          py::arg("name"), py::arg("shape"), py::arg("dtype"),
          py::arg("kind") = "dense",
          "A value that each run is given; None or a name for an unknown "
          "extent.")
      .def("state", &AddState, py::arg("name"), py::arg("tensor"),
           "A value that lives from run to run, of the tensor's type.")
      .def("gradients", &Gradients, py::arg("loss"), py::arg("wrt"),
           "Gradients of a one-element value; None where it does not depend.")
      .def("fetch",
           [](const GraphHandle& handle, const std::string& name,
              const py::handle& value) {
             ThrowIfError(handle.graph->builder.Fetch(
                 name, ValueArgument(handle.graph, "fetch: value", value)));
           })
      .def("update",
           [](const GraphHandle& handle, const std::string& name,
              const py::handle& value) {
             ThrowIfError(handle.graph->builder.Update(
                 name, ValueArgument(handle.graph, "update: value", value)));
           })
      .def("finish", &Finish, py::arg("optimize") = true,
           py::arg("relaxed") = py::none(), py::arg("policy") = py::none(),
           "Ends the graph; a Program.");
}

// A TracingScope as a block of Python's.
struct TracingBlock {
  std::shared_ptr<Graph> graph;
  std::unique_ptr<TracingScope> scope;
};

void BindTracingBlock(py::module_& module) {
  py::class_<TracingBlock> type(
      module, "TracingBlock",
      "A with block: random operators that get no value draw in the graph.");
  AddConstructor<const GraphHandle&>(
      type,
      [](const GraphHandle& handle) {
        return TracingBlock{handle.graph, nullptr};
      },
      py::arg("builder"));
  type.def("__enter__",
           [](TracingBlock& block) {
             block.scope = std::make_unique<TracingScope>(block.graph);
           })
      .def("__exit__",
           [](TracingBlock& block, const py::args&) { block.scope.reset(); });
}

}  // namespace

void BindStatic(py::module_& module) {
  BindGraphBuilder(module);
  BindTracingBlock(module);
  BindControlFlow(module);
}

}  // namespace switchyard::python
