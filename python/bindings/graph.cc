// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/graph.h"

#include <algorithm>
#include <utility>

#include "phi/core/signatures/add.gen.h"
#include "python/bindings/convert.h"
#include "python/bindings/objects.h"
#include "python/bindings/optimize.h"
#include "static_graph/autodiff/gradients.h"
#include "static_graph/dialect/build_op.h"
#include "static_graph/dialect/cf_dialect.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/ir_ops.h"
#include "static_graph/dialect/kernel_dialect.h"

namespace switchyard::python {
namespace {

using static_graph::ir::NamedValue;
using static_graph::ir::Value;

std::string Describe(Value value) {
  return static_graph::ir::ToString(value.type());
}

absl::Status CheckNameFree(const std::vector<NamedValue>& names,
                           const std::string& name) {
  for (const NamedValue& taken : names) {
    if (taken.name == name) {
      return ArgumentError("name", "one that is not taken", name);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<Graph>> Graph::Create(std::string_view name) {
  auto context = std::make_shared<static_graph::ir::Context>();
  SY_RETURN_IF_ERROR(static_graph::RegisterOpDialect(
      context.get(), static_graph::AllDialectOps()));
  return std::shared_ptr<Graph>(new Graph(std::move(context), name));
}

Graph::Graph(std::shared_ptr<static_graph::ir::Context> context,
             std::string_view name)
    : context_(std::move(context)),
      program_(context_.get(), name),
      builder_(context_.get(), &program_.entry()) {}

absl::Status Graph::CheckOpen(std::string_view name) const {
  if (!finished_) return absl::OkStatus();
  return absl::FailedPreconditionError(std::string(name) +
                                       ": the graph is finished");
}

absl::Status Graph::CheckOutermost(std::string_view name) const {
  SY_RETURN_IF_ERROR(CheckOpen(name));
  if (regions_.size() == 1) return absl::OkStatus();
  return absl::FailedPreconditionError(
      std::string(name) + ": the graph is inside a cond or a while_loop");
}

absl::StatusOr<Value> Graph::AddFeed(const std::string& name, DataType dtype,
                                     const Shape& shape) {
  SY_RETURN_IF_ERROR(CheckOpen("feed"));
  if (program_.FindArgument(static_graph::ir::ArgumentRole::kFeed, name)) {
    return ArgumentError("feed: name", "one that is not taken", name);
  }
  return program_.AddFeed(name, context_->GetTensorType(dtype, shape));
}

absl::StatusOr<Value> Graph::AddState(const std::string& name, DataType dtype,
                                      const Shape& shape) {
  SY_RETURN_IF_ERROR(CheckOpen("state"));
  if (program_.FindArgument(static_graph::ir::ArgumentRole::kState, name)) {
    return ArgumentError("state: name", "one that is not taken", name);
  }
  return program_.AddState(name, context_->GetTensorType(dtype, shape));
}

absl::StatusOr<Value> Graph::Rng() {
  const Value rng =
      program_.FindArgument(static_graph::ir::ArgumentRole::kState, kRngState);
  if (rng) return rng;
  return AddState(kRngState, DataType::kInt64, Shape({2}));
}

absl::Status Graph::Call(const static_graph::DialectOp& op,
                         const static_graph::InputValues& inputs,
                         std::vector<AttrRef> attrs,
                         std::vector<Value>* results) {
  SY_RETURN_IF_ERROR(CheckOpen(op.info->name));
  const absl::Span<const Value> given = inputs.elements();
  std::vector<Value> all(given.begin(), given.end());
  if (op.info->has(phi::Trait::kRandom)) {
    const int slot = inputs.segments().begin(op.info->input_index("rng"));
    if (!all[slot] && loops_ > 0) {
      return absl::UnimplementedError(
          std::string(op.info->name) +
          ": a random operator must be outside of while_loop, got one inside");
    }
    if (!all[slot]) {
      SY_ASSIGN_OR_RETURN(all[slot], Rng());
      attrs[op.info->attr_index("stream")] = AttrRef(random_ops_++);
    }
  }
  return static_graph::BuildOp(builder_, op, {all, inputs.segments()}, attrs,
                               results);
}

absl::Status Graph::CheckVisible(std::string_view argument,
                                 int64_t region) const {
  if (std::find(regions_.begin(), regions_.end(), region) != regions_.end()) {
    return absl::OkStatus();
  }
  return ArgumentError(argument, "a value from here or around",
                       "one from inside a cond or a while_loop");
}

absl::StatusOr<std::vector<Value>> Graph::InRegion(
    static_graph::ir::Builder& inner, absl::Span<const Value> arguments,
    const RegionFunction& function) {
  const static_graph::ir::Builder around = std::exchange(builder_, inner);
  regions_.push_back(++last_region_);
  absl::StatusOr<std::vector<Value>> values = function(arguments);
  regions_.pop_back();
  builder_ = around;
  return values;
}

absl::StatusOr<std::vector<Value>> Graph::If(
    Value condition, const RegionFunction& then_branch,
    const RegionFunction& else_branch) {
  SY_RETURN_IF_ERROR(CheckOpen("cond"));
  // One branch runs: both draw from the same stream on, as in eager.
  const int64_t first = random_ops_;
  int64_t most = first;
  const auto branch = [&](static_graph::ir::Builder& inner,
                          const RegionFunction& function) {
    random_ops_ = first;
    absl::StatusOr<std::vector<Value>> values = InRegion(inner, {}, function);
    most = std::max(most, random_ops_);
    return values;
  };
  absl::StatusOr<std::vector<Value>> results = static_graph::BuildIf(
      builder_, condition,
      [&](static_graph::ir::Builder& inner) {
        return branch(inner, then_branch);
      },
      [&](static_graph::ir::Builder& inner) {
        return branch(inner, else_branch);
      });
  random_ops_ = most;
  return results;
}

absl::StatusOr<std::vector<Value>> Graph::While(absl::Span<const Value> init,
                                                const RegionFunction& condition,
                                                const RegionFunction& body) {
  SY_RETURN_IF_ERROR(CheckOpen("while_loop"));
  ++loops_;
  absl::StatusOr<std::vector<Value>> results = static_graph::BuildWhile(
      builder_, init,
      [&](static_graph::ir::Builder& inner,
          absl::Span<const Value> values) -> absl::StatusOr<Value> {
        SY_ASSIGN_OR_RETURN(const std::vector<Value> yielded,
                            InRegion(inner, values, condition));
        if (yielded.size() == 1) return yielded[0];
        return ArgumentError("condition", "one value",
                             std::to_string(yielded.size()));
      },
      [&](static_graph::ir::Builder& inner, absl::Span<const Value> values) {
        return InRegion(inner, values, body);
      });
  --loops_;
  return results;
}

absl::StatusOr<std::vector<Value>> Graph::Gradients(
    Value loss, absl::Span<const Value> wrt) {
  SY_RETURN_IF_ERROR(CheckOpen("gradients"));
  return static_graph::BuildGradients(builder_, loss, wrt);
}

absl::Status Graph::Fetch(const std::string& name, Value value) {
  SY_RETURN_IF_ERROR(CheckOutermost("fetch"));
  SY_RETURN_IF_ERROR(Annotate(CheckNameFree(fetches_, name), "fetch"));
  fetches_.push_back({name, value});
  return absl::OkStatus();
}

absl::Status Graph::Update(const std::string& name, Value value) {
  SY_RETURN_IF_ERROR(CheckOutermost("update"));
  SY_RETURN_IF_ERROR(Annotate(CheckNameFree(updates_, name), "update"));
  const Value state =
      program_.FindArgument(static_graph::ir::ArgumentRole::kState, name);
  if (!state) return ArgumentError("update: name", "a state's", name);
  if (state.type() != value.type()) {
    return ArgumentError("update: " + name, Describe(state), Describe(value));
  }
  updates_.push_back({name, value});
  return absl::OkStatus();
}

absl::Status Graph::Finish(Optimization optimization) {
  SY_RETURN_IF_ERROR(CheckOutermost("finish"));
  if (random_ops_ > 0) {
    // The next run draws after what this one drew.
    const int64_t advance[] = {0, random_ops_};
    SY_ASSIGN_OR_RETURN(
        const static_graph::ir::Attribute step,
        context_->GetConstant(
            context_->GetTensorType(DataType::kInt64, Shape({2})),
            std::string_view(reinterpret_cast<const char*>(advance),
                             sizeof(advance))));
    const static_graph::DialectOp* add =
        static_graph::FindOperator(*context_, phi::AddSignature::kOp);
    SY_ASSIGN_OR_RETURN(const Value rng, Rng());
    SY_ASSIGN_OR_RETURN(
        const Value next,
        static_graph::BuildOp(builder_, *add, {rng, builder_.Constant(step)}));
    updates_.push_back({kRngState, next});
  }
  program_.Return(fetches_, updates_);
  finished_ = true;
  return OptimizeProgram(program_, optimization);
}

Value Graph::Constant(const DenseTensor& tensor) {
  const auto type = context_->GetTensorType(tensor.dtype(), tensor.shape());
  const std::string_view bytes(tensor.data<char>(),
                               tensor.numel() * SizeOf(tensor.dtype()));
  return builder_.Constant(*context_->GetConstant(type, bytes));
}

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
      SY_RETURN_IF_ERROR(Annotate(
          graph->CheckVisible(name, ValueOf(input).region), op.info->name));
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
      values.push_back(graph->Constant(*constant));
    }
  }
  std::vector<Value> outputs;
  SY_RETURN_IF_ERROR(
      graph->Call(op, {values, inputs.segments()},
                  std::vector<AttrRef>(attrs.begin(), attrs.end()), &outputs));
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
