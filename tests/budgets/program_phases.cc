// SPDX-License-Identifier: Apache-2.0
#include "tests/budgets/program_phases.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/base/op_error.h"
#include "framework/testing/tensors.h"
#include "phi/core/kernel_table.h"
#include "phi/core/kernel_tables.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/ir/verifier.h"
#include "static_graph/lowering/lower.h"
#include "static_graph/passes/passes.h"
#include "static_graph/program/executable.h"
#include "static_graph/program/fold_operation.h"
#include "static_graph/program/graph_builder.h"
#include "static_graph/program/saved_program.h"

namespace switchyard {
namespace {

using static_graph::GraphBuilder;
using static_graph::State;
namespace ir = static_graph::ir;

constexpr int kWidth = 4;
constexpr int kMaxLayersWithStates = 1000;
// The nodes of a layer and of a link of a chain, backward and steps included.
constexpr int kNodesPerLayer = 18;
constexpr int kNodesPerLink = 4;

template <typename T>
T ValueOf(absl::StatusOr<T> result) {
  ThrowIfError(result.status());
  return *std::move(result);
}

DenseTensor Filled(const Shape& shape, float number) {
  const std::vector<float> numbers(shape.numel(), number);
  return MakeTensor<float>(shape, absl::MakeConstSpan(numbers));
}

std::unique_ptr<ir::Context> NewContext() {
  auto context = std::make_unique<ir::Context>();
  ThrowIfError(static_graph::RegisterDialects(context.get(),
                                              static_graph::AllDialectOps()));
  return context;
}

// A training step while it is built, with the tensors of its states.
class Training {
 public:
  explicit Training(ir::Context* context)
      : context_(context), builder_(context, "train") {
    x_ = ValueOf(builder_.AddFeed("x", DataType::kFloat32,
                                  {Dim::Unknown(), Dim(kWidth)}));
    rate_ = AddState("learning_rate", {1}, 0.01f);
  }

  // relu(x w + b) again and again, with what passes find: a constant that is
  // computed, an identity.
  ir::Value Layers(int count) {
    ir::Value y = x_;
    for (int i = 0; i < count; ++i) {
      if (i < kMaxLayersWithStates) {
        parameters_.push_back(
            AddParameter(absl::StrCat("weight", i), {kWidth, kWidth}));
        parameters_.push_back(AddParameter(absl::StrCat("bias", i), {kWidth}));
      }
      const size_t first = 2 * static_cast<size_t>(i % kMaxLayersWithStates);
      y = Call("matmul", {y, parameters_[first].value});
      y = Call("add", {y, parameters_[first + 1].value});
      const ir::Value half = ValueOf(builder_.Constant(Filled({1}, 0.5f)));
      y = Call("multiply", {y, Call("add", {half, half})});
      y = Call("assign", {Call("relu", {y})});
    }
    return y;
  }

  ir::Value Chain(int count) {
    parameters_.push_back(AddParameter("weight", {kWidth}));
    ir::Value y = Call("multiply", {x_, parameters_[0].value});
    for (int i = 0; i < count; ++i) y = Call("relu", {Call("add", {y, x_})});
    return y;
  }

  ir::Program Finish(ir::Value y) {
    const ir::Value loss = Call("mean", {y});
    ThrowIfError(builder_.Fetch("loss", loss));
    std::vector<ir::Value> values;
    for (const Parameter& parameter : parameters_) {
      values.push_back(parameter.value);
    }
    const std::vector<ir::Value> gradients =
        ValueOf(builder_.Gradients(loss, values));
    for (size_t i = 0; i < parameters_.size(); ++i) {
      Step(parameters_[i], gradients[i]);
    }
    return ValueOf(builder_.Finish());
  }

  State TakeState() { return std::move(state_); }

 private:
  struct Parameter {
    std::string name;
    ir::Value value;
    // Adam's state, in the order of its arguments.
    std::vector<std::pair<std::string, ir::Value>> moments;
  };

  ir::Value Call(const char* op, const std::vector<ir::Value>& inputs) {
    return ValueOf(builder_.Call(op, inputs));
  }

  ir::Value AddState(const std::string& name, const Shape& shape,
                     float number) {
    ThrowIfError(state_.Set(name, Filled(shape, number)));
    return ValueOf(builder_.AddState(name, DataType::kFloat32, shape));
  }

  Parameter AddParameter(const std::string& name, const Shape& shape) {
    Parameter parameter = {name, AddState(name, shape, 0.125f), {}};
    const auto add = [&](const char* moment, const Shape& of, float number) {
      const std::string full = absl::StrCat("optimizer.", name, ".", moment);
      parameter.moments.emplace_back(full, AddState(full, of, number));
    };
    add("moment1", shape, 0.0f);
    add("moment2", shape, 0.0f);
    add("beta1_pow", {1}, 0.9f);
    add("beta2_pow", {1}, 0.999f);
    return parameter;
  }

  void Step(const Parameter& parameter, ir::Value gradient) {
    std::vector<ir::Value> inputs = {parameter.value, gradient, rate_};
    for (const auto& [name, value] : parameter.moments) {
      inputs.push_back(value);
    }
    const static_graph::DialectOp& adam =
        *static_graph::FindOperator(*context_, "adam_");
    inputs.resize(adam.info->inputs.size());  // The others are optional.
    std::vector<ir::Value> results;
    ThrowIfError(builder_.Call(adam, inputs, {}, &results));
    ThrowIfError(builder_.Update(parameter.name, results[0]));
    for (size_t i = 0; i < parameter.moments.size(); ++i) {
      ThrowIfError(builder_.Update(parameter.moments[i].first, results[i + 1]));
    }
  }

  ir::Context* context_;
  GraphBuilder builder_;
  State state_;
  ir::Value x_;
  ir::Value rate_;
  std::vector<Parameter> parameters_;
};

// Runs the pass on the program.
void RunPass(const char* name, ir::Program& program) {
  static_graph::PassEnvironment environment;
  environment.fold = static_graph::FoldWithKernels(
      program.context(), phi::KernelTables::Current());
  for (const auto& pass : ValueOf(static_graph::CreatePasses(
           static_graph::AllPasses(), name, environment))) {
    ValueOf(pass->Run(program));
  }
}

}  // namespace

void ForEachPhase(
    std::string_view model, int nodes,
    const std::function<void(const std::string& phase, int nodes,
                             const std::function<void()>& run)>& measure) {
  const phi::KernelTable& table = phi::KernelTables::Current();
  const std::unique_ptr<ir::Context> context = NewContext();
  std::optional<ir::Program> graph;
  State state;
  measure("trace", nodes, [&] {
    Training training(context.get());
    graph = training.Finish(model == "layers"
                                ? training.Layers(nodes / kNodesPerLayer)
                                : training.Chain(nodes / kNodesPerLink));
    state = training.TakeState();
  });
  const int traced = graph->entry().size();
  measure("verify", traced, [&] { ThrowIfError(ir::Verify(*graph)); });
  for (const char* pass :
       {"identity_elimination", "constant_folding",
        "common_subexpression_elimination", "dead_code_elimination"}) {
    measure(pass, traced, [&] { RunPass(pass, *graph); });
  }
  const int optimized = graph->entry().size();
  {
    std::optional<ir::Program> lowered;
    measure("lower", optimized,
            [&] { lowered = ValueOf(static_graph::Lower(*graph, table)); });
    measure("inplace", optimized, [&] { RunPass("inplace", *lowered); });
  }
  std::shared_ptr<const static_graph::Executable> program;
  measure("compile", optimized, [&] {
    program = ValueOf(static_graph::Executable::Compile(*graph, table));
  });
  const DenseTensor x = Filled({2, kWidth}, 1.0f);
  for (const char* run : {"first_run", "next_run"}) {
    measure(run, optimized, [&] {
      ThrowIfError(program->Run({{"x", x}}, &state).status());
    });
  }
  program = nullptr;
  std::string bytes;
  measure("save", optimized, [&] {
    bytes = ValueOf(static_graph::SerializeProgram(*graph, state));
  });
  graph.reset();
  const std::unique_ptr<ir::Context> other = NewContext();
  measure("load", optimized, [&] {
    ValueOf(static_graph::DeserializeProgram(other.get(), bytes));
  });
}

}  // namespace switchyard
