// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/trace_call.h"

#include "python/bindings/convert.h"
#include "python/bindings/objects.h"

namespace switchyard::python {

using static_graph::ir::Value;

absl::Status TraceCall(const static_graph::DialectOp& op,
                       const phi::ArgList<PyObject* const>& inputs,
                       absl::Span<const AttrRef> attrs,
                       std::vector<PyObject*>* results) {
  std::shared_ptr<Graph> graph;
  DataType dtype = DataType::kUndefined;
  for (PyObject* input : inputs.elements()) {
    if (input == nullptr || !IsValue(input)) continue;
    const ValueObject& value = ValueOf(input);
    if (graph == nullptr) dtype = value.type.dtype();
    if (graph != nullptr && graph != value.graph) {
      return Annotate(ArgumentError("inputs", "values of one graph",
                                    "values of two graphs"),
                      op.info->name);
    }
    graph = value.graph;
  }
  std::vector<Value> values;
  for (const auto [argument, slot, input] : inputs) {
    const char* name = op.info->inputs[argument].name;
    if (input == nullptr) {
      values.emplace_back();
    } else if (IsValue(input)) {
      SY_RETURN_IF_ERROR(
          Annotate(graph->builder.CheckVisible(name, ValueOf(input).region),
                   op.info->name));
      values.push_back(ValueOf(input).value);
    } else if (IsTensor(input)) {
      // A tensor would be frozen at what it holds today: say so instead.
      return Annotate(
          TypeError(name, "a value of the graph (a feed, a state, an array)",
                    "an eager tensor"),
          op.info->name);
    } else {
      absl::StatusOr<DenseTensor> constant =
          IsNumber(input) ? NumberAsTensor(name, input, dtype)
                          : TensorFromObject(name, input, DataType::kUndefined);
      if (!constant.ok()) return Annotate(constant.status(), op.info->name);
      SY_ASSIGN_OR_RETURN(values.emplace_back(),
                          graph->builder.Constant(*constant));
    }
  }
  std::vector<Value> outputs;
  SY_RETURN_IF_ERROR(graph->builder.Call(
      op, {values, inputs.segments()},
      std::vector<AttrRef>(attrs.begin(), attrs.end()), &outputs));
  // References must not be lost for want of a place.
  results->reserve(outputs.size());
  for (const Value& output : outputs) {
    if (output) {
      results->push_back(WrapValue(graph, output));
    } else {
      Py_INCREF(Py_None);
      results->push_back(Py_None);
    }
  }
  return absl::OkStatus();
}

}  // namespace switchyard::python
