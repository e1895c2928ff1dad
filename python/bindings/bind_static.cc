// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/base/hash_map.h"
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
#include "python/bindings/regions.h"
#include "python/bindings/relaxed_argument.h"
#include "python/bindings/trace_call.h"
#include "python/bindings/tracing_scope.h"
#include "static_graph/dialect/view_layout.h"
#include "static_graph/program/pipeline.h"
#include "static_graph/program/replay.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

using static_graph::ir::Value;

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
        "dense, selected_rows, sparse_coo, sparse_csr, tensor_array or strings",
        "'" + name + "'"));
  }
  return *kind;
}

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

// Functions of the module, for switchyard.utils.checkpoint.
void BindCheckpoint(py::module_& module) {
  module.def(
      "is_tracing", [] { return TracingScope::Innermost() != nullptr; },
      "Whether this thread traces a program.");
  module.def(
      "trace_checkpoint",
      [](const py::object& function) -> py::object {
        TracingScope* const scope = TracingScope::Innermost();
        if (scope == nullptr) return function();
        const std::shared_ptr<Graph> graph = scope->graph();
        py::object result;
        std::exception_ptr raised;
        const absl::Status status =
            graph->builder.Checkpoint([&]() -> absl::Status {
              try {
                result = function();
                return absl::OkStatus();
              } catch (...) {
                raised = std::current_exception();
                return absl::InternalError("it raised an exception");
              }
            });
        if (raised != nullptr) std::rethrow_exception(raised);
        ThrowIfError(status);
        return result;
      },
      py::arg("function"),
      "What the function returns; gradients compute again what it adds to the "
      "program that this thread traces.");
}

// Adds what a program computes of these values and captured tensors.
py::dict Replayed(const PyProgram& program, const py::dict& arguments) {
  const TracingScope* const scope = TracingScope::Innermost();
  if (scope == nullptr) ThrowIfError(absl::InternalError("nothing is traced"));
  const std::shared_ptr<Graph> graph = scope->graph();
  LocateAtCaller(*graph);
  HashMap<Value, Value> values;
  for (const Value argument : program.graph().entry().arguments()) {
    const std::string name(argument.argument_name());
    if (!arguments.contains(name)) {
      ThrowIfError(ArgumentError("'" + name + "'", "given", "none"));
    }
    const py::object object = arguments[name.c_str()];
    values[argument] =
        IsTensor(object.ptr())
            ? ValueOrThrow(ValueOfEager(*graph, name, object.ptr()))
            : ValueOrConstant(graph, name.c_str(), object);
  }
  const std::vector<Value> fetched = ValueOrThrow(
      static_graph::Replay(program.graph(), std::move(values), graph->builder));
  py::dict results;
  for (size_t i = 0; i < fetched.size(); ++i) {
    results[py::str(program.graph().fetches()[i].name)] =
        WrapOrNone(graph, fetched[i]);
  }
  return results;
}

// Functions of the module, for Program.module.
void BindReplay(py::module_& module) {
  module.def("trace_replay", &Replayed, py::arg("program"),
             py::arg("arguments"),
             "{name: value} of what a program computes of {name: value or "
             "tensor}, in the program that this thread traces.");
}

// Functions of the module, for Tensor.view of a value.
void BindLayouts(py::module_& module) {
  using static_graph::Certainty;
  module.def(
      "is_row_major",
      [](const py::handle& value) {
        return IsValue(value.ptr()) &&
               IsRowMajor(static_graph::LayoutOf(
                   GetValue(value.ptr()).value)) == Certainty::kAlways;
      },
      py::arg("value"),
      "Whether eager code has a dense value's elements in row-major order, "
      "without gaps, in every run.");
  module.def(
      "is_never_a_view",
      [](const py::handle& value, const py::handle& of) {
        return IsValue(value.ptr()) && IsValue(of.ptr()) &&
               static_graph::LayOutByStrides(
                   GetValue(value.ptr()).value,
                   static_graph::LayoutOf(GetValue(of.ptr()).value))
                       .shares == Certainty::kNever;
      },
      py::arg("value"), py::arg("of"),
      "Whether no run can have a value of this shape in the memory of the "
      "other one.");
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
  for (const Value& gradient : gradients)
    result.append(WrapOrNone(graph, gradient));
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
  py::object state =
      WrapOrNone(handle.graph, ValueOrThrow(handle.graph->builder.AddState(
                                   name, like.dtype(), like.shape())));
  GetValue(state.ptr()).region = 0;  // An argument of the whole program.
  return state;
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
            return WrapOrNone(handle.graph,
                              ValueOrThrow(handle.graph->builder.AddFeed(
                                  name, type, extents, KindArgument(kind))));
          },
          py::arg("name"), py::arg("shape"), py::arg("dtype"),
          py::arg("kind") = "dense",
          "A value that each run is given; None or a name for an unknown "
          "extent.")
      .def("state", &AddState, py::arg("name"), py::arg("tensor"),
           "A value that lives from run to run, of the tensor's type.")
      .def(
          "value",
          [](const GraphHandle& handle, const py::handle& object) {
            return WrapOrNone(handle.graph,
                              ValueOrConstant(handle.graph, "value", object));
          },
          py::arg("object"),
          "The value of a tensor or an array; a value as it is.")
      .def("gradients", &Gradients, py::arg("loss"), py::arg("wrt"),
           "Gradients of a one-element value; None where it does not depend.")
      .def_property_readonly(
          "in_region",
          [](const GraphHandle& handle) {
            return handle.graph->builder.region() != 0;
          },
          "Whether a branch, a loop or a backward is being made.")
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
  py::object captures;
  std::unique_ptr<TracingScope> scope;
};

void BindTracingBlock(py::module_& module) {
  py::class_<TracingBlock> type(
      module, "TracingBlock",
      "A with block: operators that get no value, but a tensor that was there "
      "before or random numbers, go to the graph.");
  AddConstructor<const GraphHandle&, const py::object&>(
      type,
      [](const GraphHandle& handle, const py::object& captures) {
        return TracingBlock{handle.graph, captures, nullptr};
      },
      py::arg("builder"), py::arg("captures") = py::none());
  type.def("__enter__",
           [](TracingBlock& block) {
             block.scope = std::make_unique<TracingScope>(
                 block.graph,
                 block.captures.is_none() ? nullptr : block.captures.ptr());
           })
      .def("__exit__",
           [](TracingBlock& block, const py::args&) { block.scope.reset(); });
}

}  // namespace

void BindStatic(py::module_& module) {
  BindGraphBuilder(module);
  BindTracingBlock(module);
  BindControlFlow(module);
  BindCheckpoint(module);
  BindReplay(module);
  BindLayouts(module);
}

}  // namespace switchyard::python
