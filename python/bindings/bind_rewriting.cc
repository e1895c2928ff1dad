// SPDX-License-Identifier: Apache-2.0
// The calls and arguments of a program as Python's objects, and the program
// again: with some calls replaced, for switchyard/quantization, or operation by
// operation, for switchyard/distributed.
#include <pybind11/pybind11.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/base/hash_map.h"
#include "python/bindings/attr_object.h"
#include "python/bindings/bind.h"
#include "python/bindings/errors.h"
#include "python/bindings/objects.h"
#include "python/bindings/programs.h"
#include "python/bindings/regions.h"
#include "python/bindings/trace_call.h"
#include "python/bindings/tracing_scope.h"
#include "static_graph/dialect/op_call.h"
#include "static_graph/ir/operation.h"
#include "static_graph/program/replay.h"

namespace py = pybind11;

namespace switchyard::python {
namespace {

using static_graph::ir::Operation;
using static_graph::ir::Value;

// The numbers of a program's values, its arguments first.
class Numbers {
 public:
  explicit Numbers(const static_graph::ir::Program& program) {
    for (const Value argument : program.entry().arguments()) Add(argument);
  }

  void Add(Value value) {
    numbers_.emplace(value, static_cast<int64_t>(numbers_.size()));
  }
  // None for null and for an argument of a branch or a loop.
  py::object Of(Value value) const {
    const auto found = numbers_.find(value);
    return found == numbers_.end() ? py::none()
                                   : py::object(py::int_(found->second));
  }

 private:
  HashMap<Value, int64_t> numbers_;
};

// {argument: number, or None}; lists are lists of numbers.
template <typename Infos>
py::dict NumbersOf(const Infos& infos, const phi::ArgBuffer<Value>& values,
                   const Numbers& numbers) {
  py::dict named;
  for (size_t i = 0; i < infos.size(); ++i) {
    const absl::Span<const Value> of = values.list(static_cast<int>(i));
    if (infos[i].list) {
      py::list list;
      for (const Value value : of) list.append(numbers.Of(value));
      named[infos[i].name] = list;
    } else {
      named[infos[i].name] = numbers.Of(of[0]);
    }
  }
  return named;
}

// {attribute: value}; one that values of the program supply is a tuple of their
// numbers.
py::dict AttrsOf(const static_graph::OpCall& call, const Numbers& numbers) {
  const auto& infos = call.op->info->attrs;
  py::dict attrs;
  for (const static_graph::SuppliedAttr& supplied : call.supplied) {
    py::list values;
    for (const Value value : supplied.values) values.append(numbers.Of(value));
    attrs[infos[static_cast<size_t>(supplied.attr)].name] = py::tuple(values);
  }
  for (size_t i = 0; i < infos.size(); ++i) {
    if (!attrs.contains(infos[i].name)) {
      attrs[infos[i].name] = AttrObject(call.attrs[i]);
    }
  }
  return attrs;
}

// (index, operator, inputs, attributes, outputs, whether it is in no branch or
// loop) of each call.
py::list CallsOf(const PyProgram& program) {
  const static_graph::ir::Block& entry = program.graph().entry();
  Numbers numbers(program.graph());
  py::list calls;
  int64_t index = -1;
  for (const Operation* op : static_graph::ir::AllOperations(entry)) {
    ++index;
    for (int i = 0; i < op->num_results(); ++i) numbers.Add(op->result(i));
    if (static_graph::FindDialectOp(*op) == nullptr) continue;
    const static_graph::OpCall call = ValueOrThrow(static_graph::ReadCall(*op));
    const phi::OpInfo& info = *call.op->info;
    calls.append(py::make_tuple(
        index, info.name, NumbersOf(info.inputs, call.inputs, numbers),
        AttrsOf(call, numbers), NumbersOf(info.outputs, call.outputs, numbers),
        op->parent() == &entry));
  }
  return calls;
}

// An extent that is not known is a name, or None.
py::list ExtentsOf(const Shape& shape) {
  py::list extents;
  for (int i = 0; i < shape.rank(); ++i) {
    const Dim dim = shape[i];
    if (dim.known()) {
      extents.append(dim.value());
    } else if (dim.symbolic()) {
      extents.append(ToString(dim));
    } else {
      extents.append(py::none());
    }
  }
  return extents;
}

// (name, "feed" or "state", dtype, kind, extents) of each argument.
py::list ArgumentsOf(const PyProgram& program) {
  py::list arguments;
  for (const Value argument : program.graph().entry().arguments()) {
    const static_graph::ir::TensorType type = argument.tensor_type();
    const py::list extents = ExtentsOf(type.shape());
    arguments.append(
        py::make_tuple(std::string(argument.argument_name()),
                       std::string(static_graph::ir::Name(argument.role())),
                       Name(type.dtype()), Name(type.kind()), extents));
  }
  return arguments;
}

// Gives what is added the place of the operation that it stands for.
void Locate(Graph& graph, const Operation& op) {
  const static_graph::ir::Location at = op.location();
  graph.builder.SetLocation(
      at ? graph.context->GetLocation(at.source(), at.first(), at.second())
         : static_graph::ir::Location());
}

// {name: number} of what a program returns, or of new states.
py::dict NumbersOf(absl::Span<const static_graph::ir::NamedValue> named,
                   const Numbers& numbers) {
  py::dict all;
  for (const static_graph::ir::NamedValue& each : named) {
    all[py::str(each.name)] = numbers.Of(each.value);
  }
  return all;
}

// (operator, inputs, attributes) of a call; (name, None, None) of another
// operation.
py::tuple CallFacts(const Operation& op, const Numbers& numbers) {
  if (static_graph::FindDialectOp(op) == nullptr) {
    return py::make_tuple(std::string(op.name()), py::none(), py::none());
  }
  const static_graph::OpCall call = ValueOrThrow(static_graph::ReadCall(op));
  const phi::OpInfo& info = *call.op->info;
  py::dict attrs;
  for (size_t i = 0; i < info.attrs.size(); ++i) {
    attrs[info.attrs[i].name] = AttrObject(call.attrs[i]);
  }
  return py::make_tuple(info.name, NumbersOf(info.inputs, call.inputs, numbers),
                        attrs);
}

// ([(facts, operands, results, extents)], {fetch: number}, {state: number}).
py::tuple OperationsOf(const PyProgram& program) {
  const static_graph::ir::Block& entry = program.graph().entry();
  Numbers numbers(program.graph());
  py::list operations;
  for (const Operation* op : entry) {
    if (op == entry.terminator()) break;
    py::list operands, results, extents;
    for (const Value operand : op->operands()) {
      operands.append(numbers.Of(operand));
    }
    for (const Value result : op->results()) {
      numbers.Add(result);
      results.append(numbers.Of(result));
      const bool dense = result.tensor_type() &&
                         result.tensor_type().kind() == TensorKind::kDense;
      extents.append(dense ? py::object(ExtentsOf(result.tensor_type().shape()))
                           : py::object(py::none()));
    }
    operations.append(
        py::make_tuple(CallFacts(*op, numbers), operands, results, extents));
  }
  return py::make_tuple(operations,
                        NumbersOf(program.graph().fetches(), numbers),
                        NumbersOf(program.graph().new_states(), numbers));
}

// The results of an operation, of OperationsOf(), that is added once more.
py::list Added(const PyProgram& program, size_t index,
               const py::list& operands) {
  const TracingScope* const scope = TracingScope::Innermost();
  if (scope == nullptr) ThrowIfError(absl::InternalError("nothing is traced"));
  const std::shared_ptr<Graph> graph = scope->graph();
  auto found = program.graph().entry().begin();
  for (size_t i = 0; i < index; ++i) ++found;
  const Operation& op = **found;
  HashMap<Value, Value> values;
  for (int i = 0; i < op.num_operands(); ++i) {
    values[op.operand(i)] = ValueArgument(graph, "operands", operands[i]);
  }
  Locate(*graph, op);
  py::list results;
  for (const Value result : ValueOrThrow(static_graph::ReplayOperation(
           op, std::move(values), graph->builder))) {
    results.append(WrapOrNone(graph, result));
  }
  return results;
}

// Python functions as the hook of Rewrite().
class Rules {
 public:
  // {index of a call: function, or None to leave the call out}.
  Rules(std::shared_ptr<Graph> graph, const static_graph::ir::Block& entry,
        const py::dict& rules)
      : graph_(std::move(graph)) {
    const auto all = static_graph::ir::AllOperations(entry);
    for (const auto& [index, rule] : rules) {
      const auto at = py::cast<size_t>(index);
      if (at >= all.size()) throw py::index_error("rules: no such call");
      rules_[all[at]] = py::reinterpret_borrow<py::object>(rule);
    }
  }

  absl::StatusOr<bool> Apply(const Operation& op, std::vector<Value>* inputs,
                             std::vector<Value>* results) {
    Locate(*graph_, op);
    const auto found = rules_.find(&op);
    if (found == rules_.end()) return false;
    if (found->second.is_none()) {
      results->resize(static_cast<size_t>(op.num_results()));
      return true;
    }
    try {
      return Call(found->second, op, inputs, results);
    } catch (...) {
      raised_ = std::current_exception();
      return absl::InternalError("it raised an exception");
    }
  }
  // Throws again what a rule has thrown.
  void Rethrow() const {
    if (raised_ != nullptr) std::rethrow_exception(raised_);
  }

 private:
  bool Call(const py::object& rule, const Operation& op,
            std::vector<Value>* inputs, std::vector<Value>* results) {
    py::list given;
    for (const Value input : *inputs) given.append(WrapOrNone(graph_, input));
    const py::object made = rule(given);
    Locate(*graph_, op);
    if (!py::isinstance<py::list>(made)) {
      if (op.num_results() != 1) {
        throw py::value_error("rule: a call of several results");
      }
      results->push_back(ValueOrConstant(graph_, "rule", made));
      return true;
    }
    const auto replaced = py::reinterpret_borrow<py::list>(made);
    if (replaced.size() != inputs->size()) {
      throw py::value_error("rule: as many inputs as the call has");
    }
    for (size_t i = 0; i < inputs->size(); ++i) {
      const py::object input = replaced[i];
      (*inputs)[i] =
          input.is_none() ? Value() : ValueOrConstant(graph_, "rule", input);
    }
    return false;
  }

  std::shared_ptr<Graph> graph_;
  HashMap<const Operation*, py::object> rules_;
  std::exception_ptr raised_;
};

// ({fetch: value}, {state: value that it has afterwards}).
py::tuple Rewritten(const PyProgram& program, const py::dict& arguments,
                    const py::dict& rules) {
  const TracingScope* const scope = TracingScope::Innermost();
  if (scope == nullptr) ThrowIfError(absl::InternalError("nothing is traced"));
  const std::shared_ptr<Graph> graph = scope->graph();
  HashMap<Value, Value> values;
  for (const Value argument : program.graph().entry().arguments()) {
    const std::string name(argument.argument_name());
    if (!arguments.contains(name)) {
      ThrowIfError(ArgumentError("'" + name + "'", "given", "none"));
    }
    const py::object object = arguments[name.c_str()];
    values[argument] = object.is_none()
                           ? Value()
                           : ValueOrConstant(graph, name.c_str(), object);
  }
  Rules hook(graph, program.graph().entry(), rules);
  auto replayed =
      static_graph::Rewrite(program.graph(), std::move(values), graph->builder,
                            [&](const Operation& op, std::vector<Value>* inputs,
                                std::vector<Value>* results) {
                              return hook.Apply(op, inputs, results);
                            });
  hook.Rethrow();
  const static_graph::ReplayedValues made = ValueOrThrow(std::move(replayed));
  py::dict fetched, updated;
  for (size_t i = 0; i < made.fetches.size(); ++i) {
    fetched[py::str(program.graph().fetches()[i].name)] =
        WrapOrNone(graph, made.fetches[i]);
  }
  for (const auto& state : made.new_states) {
    updated[py::str(state.name)] = WrapOrNone(graph, state.value);
  }
  return py::make_tuple(fetched, updated);
}

}  // namespace

void BindRewriting(py::module_& module) {
  module.def("program_calls", &CallsOf, py::arg("program"),
             "(index, operator, inputs, attributes, outputs, top) of each "
             "call; values are numbers, those of arguments first, and `top` "
             "says whether it is in no branch or loop.");
  module.def(
      "program_operations", &OperationsOf, py::arg("program"),
      "([((operator, inputs, attributes), operands, results, extents)], "
      "{fetch: value}, {state: new value}) with values as numbers, those "
      "of arguments first. `extents` are those of each result, or None "
      "where it is not dense.");
  module.def(
      "trace_operation", &Added, py::arg("program"), py::arg("index"),
      py::arg("operands"),
      "The results of an operation of program_operations, added of these "
      "operands to the program that this thread traces.");
  module.def("program_arguments", &ArgumentsOf, py::arg("program"),
             "(name, \"feed\" or \"state\", dtype, kind, extents) of each "
             "argument; an extent may be a name, or None.");
  module.def("trace_rewrite", &Rewritten, py::arg("program"),
             py::arg("arguments"), py::arg("rules"),
             "({fetch: value}, {state: new value}) of the program, added to "
             "the one that this thread traces. A rule, by a call's index, gets "
             "the list of its inputs and returns one in place of it, or the "
             "value of its result; a call whose rule is None is left out. An "
             "argument may be None if nothing reads it then.");
}

}  // namespace switchyard::python
