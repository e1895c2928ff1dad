// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/trace_call.h"

#include "absl/strings/str_cat.h"
#include "eager/autograd/grad_mode.h"
#include "python/bindings/caller_location.h"
#include "python/bindings/convert.h"
#include "python/bindings/objects.h"
#include "python/bindings/tracing_scope.h"
#include "static_graph/dialect/current_ops.h"
#include "static_graph/dialect/register_dialects.h"

namespace switchyard::python {
namespace {

using static_graph::ir::Value;

// Finds the graph that all values of a call belong to.
class GraphFinder {
 public:
  absl::Status Add(PyObject* object) {
    if (object == nullptr) return absl::OkStatus();
    if (IsSymbol(object)) object = GetSymbol(object).value;
    if (!IsValue(object)) return absl::OkStatus();
    const std::shared_ptr<Graph>& graph = GetValue(object).graph;
    if (graph_ != nullptr && graph_ != graph) {
      return ArgumentError("inputs", "values of one graph",
                           "values of two graphs");
    }
    graph_ = graph;
    return absl::OkStatus();
  }

  const std::shared_ptr<Graph>& graph() const { return graph_; }

 private:
  std::shared_ptr<Graph> graph_;
};

// The dtype that plain numbers take: that of the first value.
DataType DtypeForNumbers(absl::Span<PyObject* const> inputs) {
  for (PyObject* input : inputs) {
    if (input != nullptr && IsValue(input)) return GetValue(input).type.dtype();
  }
  return DataType::kUndefined;
}

// A value of the graph; `number_dtype` as NumberAsTensor takes it.
absl::StatusOr<Value> ValueFor(Graph& graph, std::string_view name,
                               PyObject* object, DataType number_dtype) {
  if (IsValue(object)) {
    SY_RETURN_IF_ERROR(
        graph.builder.CheckVisible(name, GetValue(object).region));
    return GetValue(object).value;
  }
  if (IsTensor(object)) return ValueOfEager(graph, name, object);
  const TracingScope* const scope = TracingScope::Innermost();
  if (scope != nullptr && scope->graph().get() == &graph && !IsNumber(object)) {
    SY_ASSIGN_OR_RETURN(const Value shared, scope->SharedArray(object));
    if (shared) return shared;
  }
  SY_ASSIGN_OR_RETURN(
      const DenseTensor constant,
      IsNumber(object) ? NumberAsTensor(name, object, number_dtype)
                       : TensorFromObject(name, object, DataType::kUndefined));
  return graph.builder.Constant(constant);
}

absl::StatusOr<Value> SupplierFor(Graph& graph, std::string_view name,
                                  PyObject* object) {
  if (!IsSymbol(object)) {
    return ValueFor(graph, name, object, DataType::kUndefined);
  }
  PyObject* value = ValueOfSymbol(object);
  if (value == nullptr) return absl::InternalError("a symbol has no value");
  const Value extent = GetValue(value).value;
  Py_DECREF(value);
  return extent;
}

absl::StatusOr<std::vector<static_graph::SuppliedAttr>> SuppliersFor(
    Graph& graph, const phi::OpInfo& info,
    absl::Span<const SuppliedObjects> supplied) {
  std::vector<static_graph::SuppliedAttr> attrs;
  for (const SuppliedObjects& given : supplied) {
    static_graph::SuppliedAttr& attr = attrs.emplace_back();
    attr.attr = given.attr;
    for (PyObject* object : given.objects) {
      SY_ASSIGN_OR_RETURN(
          attr.values.emplace_back(),
          SupplierFor(graph, info.attrs[given.attr].name, object));
    }
  }
  return attrs;
}

// A call as the graph's builder takes it.
struct TracedCall {
  std::shared_ptr<Graph> graph;
  std::vector<Value> inputs;
  std::vector<static_graph::SuppliedAttr> supplied;
};

absl::Status Gather(const phi::OpInfo& info,
                    const phi::ArgList<PyObject* const>& inputs,
                    absl::Span<const SuppliedObjects> supplied,
                    TracedCall* call) {
  GraphFinder finder;
  for (PyObject* input : inputs.elements()) {
    SY_RETURN_IF_ERROR(finder.Add(input));
  }
  for (const SuppliedObjects& given : supplied) {
    for (PyObject* object : given.objects) {
      SY_RETURN_IF_ERROR(finder.Add(object));
    }
  }
  call->graph = finder.graph() != nullptr ? finder.graph()
                                          : TracingScope::Innermost()->graph();
  LocateAtCaller(*call->graph);
  const DataType dtype = DtypeForNumbers(inputs.elements());
  for (const auto [argument, slot, input] : inputs) {
    call->inputs.emplace_back();
    if (input == nullptr) continue;
    SY_ASSIGN_OR_RETURN(
        call->inputs.back(),
        ValueFor(*call->graph, info.inputs[argument].name, input, dtype));
  }
  SY_ASSIGN_OR_RETURN(call->supplied,
                      SuppliersFor(*call->graph, info, supplied));
  return absl::OkStatus();
}

// The object that an output of an in-place variant is written over; null if
// there is none. No output of an operator that has the form is a list.
PyObject* WrittenObject(const phi::OpInfo& info,
                        const phi::ArgList<PyObject* const>& inputs,
                        size_t output) {
  const int input = info.outputs[output].inplace_of;
  PyObject* object = input < 0 ? nullptr : inputs.optional(input);
  if (object == nullptr) return nullptr;
  return IsValue(object) || IsCaptured(object) ? object : nullptr;
}

// An error where an in-place variant is to write a tensor of outside that it
// can't, or one that is made while tracing: it is a constant.
absl::Status CheckWritten(const phi::OpInfo& info,
                          const phi::ArgList<PyObject* const>& inputs) {
  for (size_t i = 0; i < info.outputs.size(); ++i) {
    const int input = info.outputs[i].inplace_of;
    PyObject* const object = input < 0 ? nullptr : inputs.optional(input);
    const TracingScope* const scope = TracingScope::Innermost();
    if (object == nullptr || !IsTensor(object) || scope == nullptr) continue;
    if (!scope->Captures(GetTensor(object))) {
      return ArgumentError(
          info.inputs[input].name,
          "a value of the graph, or a tensor of outside, to be "
          "written with one",
          absl::StrCat("a tensor that was made while tracing: "
                       "call ",
                       info.name, "() instead of ", info.name, "_()"));
    }
    SY_RETURN_IF_ERROR(scope->CheckWritable(info.name, object));
  }
  return absl::OkStatus();
}

// Without grad mode what is written gets no gradient, but has the memory.
absl::Status DetachWritten(const phi::OpInfo& info,
                           const phi::ArgList<PyObject* const>& inputs,
                           TracedCall* call) {
  for (const phi::OutputInfo& output : info.outputs) {
    if (output.inplace_of < 0) continue;
    const int slot = inputs.segments().begin(output.inplace_of);
    std::vector<Value> written = {call->inputs[static_cast<size_t>(slot)]};
    SY_RETURN_IF_ERROR(StopGradients(*call->graph, &written));
    call->inputs[static_cast<size_t>(slot)] = written[0];
  }
  return absl::OkStatus();
}

// Whether the result of an operator on both may have another type than
// `written` because the run alone knows an extent of `other`.
bool MayFitOnly(const Shape& other, const Shape& written) {
  const int added = written.rank() - other.rank();
  if (added < 0) return false;
  bool open = false;
  for (int i = 0; i < other.rank(); ++i) {
    const Dim have = other[i], want = written[i + added];
    if (have == Dim(1) || have == want) continue;
    if (have.known() && want.known()) return false;  // Refused by the operator.
    open = true;
  }
  return open;
}

// Makes the extents of what is combined with a written value those that the
// value has; the run checks them.
absl::Status FitWritten(const phi::OpInfo& info, TracedCall* call) {
  if (!info.has(phi::Trait::kElementwise) || info.outputs.size() != 1) {
    return absl::OkStatus();
  }
  const int target = info.outputs[0].inplace_of;
  if (target < 0 || call->inputs.size() != info.inputs.size()) {
    return absl::OkStatus();
  }
  const Value written = call->inputs[static_cast<size_t>(target)];
  for (Value& input : call->inputs) {
    if (!input || input == written ||
        !MayFitOnly(input.tensor_type().shape(),
                    written.tensor_type().shape())) {
      continue;
    }
    SY_ASSIGN_OR_RETURN(
        input, call->graph->builder.Call("expand_as", {input, written}));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Value> ValueOfEager(Graph& graph, std::string_view argument,
                                   PyObject* tensor) {
  const eager::Tensor& eager = GetTensor(tensor);
  const TracingScope* const scope = TracingScope::Innermost();
  if (scope != nullptr && scope->graph().get() == &graph &&
      scope->Captures(eager)) {
    return scope->ValueOf(tensor);
  }
  const TensorKind kind = eager.kind();
  if (kind != TensorKind::kDense && kind != TensorKind::kTensorArray) {
    return TypeError(argument,
                     "a value of the graph, or a constant that is dense or a "
                     "tensor_array",
                     absl::StrCat("an eager ", std::string(Name(kind))));
  }
  if (eager.requires_grad()) {
    return TypeError(
        argument,
        "a value of the graph or a constant (register the tensor as a "
        "parameter, pass it as an input, or detach it)",
        absl::StrCat("an eager ",
                     kind == TensorKind::kDense ? "tensor" : "array",
                     " that requires a gradient"));
  }
  if (kind == TensorKind::kTensorArray) {
    return graph.builder.ArrayConstant(
        argument, static_cast<const TensorArray&>(eager.base()));
  }
  // Converts through NumPy: a strided tensor is copied in its order.
  SY_ASSIGN_OR_RETURN(const DenseTensor constant,
                      TensorFromObject(argument, tensor, eager.dtype()));
  return graph.builder.Constant(constant);
}

absl::Status StopGradients(Graph& graph, std::vector<Value>* values) {
  if (eager::CurrentGradMode() == eager::GradMode::kOn) {
    return absl::OkStatus();
  }
  for (Value& value : *values) {
    const auto type =
        value ? value.tensor_type() : static_graph::ir::TensorType();
    if (!type || type.kind() != TensorKind::kDense ||
        !IsDifferentiable(type.dtype())) {
      continue;
    }
    SY_ASSIGN_OR_RETURN(value, graph.builder.Call("detach", {value}));
  }
  return absl::OkStatus();
}

void LocateAtCaller(Graph& graph) {
  graph.builder.SetLocation(CallerLocation(graph.context.get()));
}

absl::Status TraceWrite(PyObject* target, PyObject* value) {
  Graph& graph = *GetValue(target).graph;
  std::vector<Value> values;
  for (PyObject* object : {target, value}) {
    if (GetValue(object).graph.get() != &graph) {
      return ArgumentError("x[...] = value: value", "of the same graph",
                           "another graph's");
    }
    SY_RETURN_IF_ERROR(
        graph.builder.CheckVisible("x[...] = value", GetValue(object).region));
    values.push_back(GetValue(object).value);
  }
  LocateAtCaller(graph);
  SY_RETURN_IF_ERROR(StopGradients(graph, &values));
  return graph.builder.Write(values[0], values[1]);
}

absl::Status TraceCall(const static_graph::DialectOp& op,
                       const phi::ArgList<PyObject* const>& inputs,
                       absl::Span<const AttrRef> attrs,
                       const TraceOptions& options,
                       std::vector<PyObject*>* results) {
  TracedCall call;
  if (options.inplace) {
    SY_RETURN_IF_ERROR(Annotate(CheckWritten(*op.info, inputs), op.info->name));
  }
  SY_RETURN_IF_ERROR(Annotate(Gather(*op.info, inputs, options.supplied, &call),
                              op.info->name));
  if (options.inplace) {
    SY_RETURN_IF_ERROR(DetachWritten(*op.info, inputs, &call));
    SY_RETURN_IF_ERROR(FitWritten(*op.info, &call));
  }
  static_graph::BuildOpOptions build;
  build.supplied = call.supplied;
  build.inplace = options.inplace;
  std::vector<Value> outputs;
  const auto add = [&] {
    return call.graph->builder.Call(
        op, {call.inputs, inputs.segments()},
        std::vector<AttrRef>(attrs.begin(), attrs.end()), &outputs, build);
  };
  absl::Status status = add();
  static_graph::ir::Context* context = call.graph->context.get();
  if (!status.ok() &&
      static_graph::FindOperator(*context, op.info->name) == nullptr) {
    // The operator was made while the program is traced.
    SY_RETURN_IF_ERROR(static_graph::RegisterDialects(
        context, static_graph::CurrentDialectOps()));
    status = add();
  }
  SY_RETURN_IF_ERROR(status);
  SY_RETURN_IF_ERROR(StopGradients(*call.graph, &outputs));
  // References must not be lost for want of a place.
  results->reserve(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    PyObject* written =
        options.inplace ? WrittenObject(*op.info, inputs, i) : nullptr;
    if (written == nullptr && outputs[i]) {
      results->push_back(WrapValue(call.graph, outputs[i]));
      continue;
    }
    if (written == nullptr) written = Py_None;
    Py_INCREF(written);
    results->push_back(written);
  }
  return absl::OkStatus();
}

}  // namespace switchyard::python
