// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/regions.h"

#include "python/bindings/convert.h"
#include "python/bindings/errors.h"
#include "python/bindings/objects.h"

namespace py = pybind11;

namespace switchyard::python {

using static_graph::ir::Value;

py::object WrapOrNone(const std::shared_ptr<Graph>& graph, Value value) {
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

Value ValueOrConstant(const std::shared_ptr<Graph>& graph, const char* argument,
                      py::handle object) {
  if (IsValue(object.ptr())) return ValueArgument(graph, argument, object);
  if (IsTensor(object.ptr())) {
    absl::StatusOr<Value> value = ValueOfEager(*graph, argument, object.ptr());
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    return ValueOrThrow(std::move(value));
  }
  return ValueOrThrow(graph->builder.Constant(ValueOrThrow(
      TensorFromObject(argument, object.ptr(), DataType::kUndefined))));
}

static_graph::RegionFunction Regions::Of(const char* argument,
                                         py::object function, bool optional) {
  return [this, argument, optional,
          function = std::move(function)](absl::Span<const Value> arguments)
             -> absl::StatusOr<std::vector<Value>> {
    try {
      py::tuple wrapped(arguments.size());
      for (size_t i = 0; i < arguments.size(); ++i) {
        wrapped[i] = WrapOrNone(graph_, arguments[i]);
      }
      std::vector<Value> values;
      for (const py::handle value : py::object(function(*wrapped))) {
        values.push_back(optional && value.is_none()
                             ? Value()
                             : ValueOrConstant(graph_, argument, value));
      }
      return values;
    } catch (...) {
      raised_ = std::current_exception();
      return absl::InternalError("it raised an exception");
    }
  };
}

py::tuple Regions::Results(absl::StatusOr<std::vector<Value>> values) {
  if (raised_ != nullptr) std::rethrow_exception(raised_);
  std::vector<Value> made = ValueOrThrow(std::move(values));
  ThrowIfError(StopGradients(*graph_, &made));
  py::tuple results(made.size());
  for (size_t i = 0; i < made.size(); ++i) {
    results[i] = WrapOrNone(graph_, made[i]);
  }
  return results;
}

}  // namespace switchyard::python
