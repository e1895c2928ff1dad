// SPDX-License-Identifier: Apache-2.0
// A small network, dropout included, trained by both executors: losses and
// weights have the same bits, with one thread and with two. The program is
// built, differentiated and optimised by the API of C++ users.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "eager/autograd/engine.h"
#include "eager/autograd/grad_mode.h"
#include "eager/ops/add.gen.h"
#include "eager/ops/cross_entropy_with_softmax.gen.h"
#include "eager/ops/dropout.gen.h"
#include "eager/ops/matmul.gen.h"
#include "eager/ops/mean.gen.h"
#include "eager/ops/relu.gen.h"
#include "eager/ops/sgd_.gen.h"
#include "framework/device/cpu/parallel.h"
#include "framework/random/generator.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "phi/core/kernel_tables.h"
#include "phi/dispatch/selection_recorder.h"
#include "static_graph/dialect/every_operator.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/program/executable.h"
#include "static_graph/program/export_inference.h"
#include "static_graph/program/graph_builder.h"
#include "static_graph/program/pipeline.h"
#include "static_graph/program/saved_program.h"

namespace switchyard {
namespace {

using static_graph::Executable;
using static_graph::Feed;
using static_graph::Fetch;
using static_graph::GraphBuilder;
using static_graph::State;
namespace ir = static_graph::ir;

constexpr int kInputs = 24;
constexpr int kHidden = 40;
constexpr int kClasses = 5;
constexpr int kSteps = 8;

const char* const kParameters[] = {"w1", "b1", "w2", "b2"};

// Irregular numbers in (-0.5, 0.5).
DenseTensor Numbers(const Shape& shape, uint32_t seed) {
  DenseTensor tensor = EmptyTensor(DataType::kFloat32, shape);
  uint32_t random = seed * 2654435761u + 1;
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    random = random * 1664525u + 1013904223u;
    tensor.mutable_data<float>()[i] =
        static_cast<float>(random >> 8) / 16777216.0f - 0.5f;
  }
  return tensor;
}

DenseTensor Labels(int64_t rows, uint32_t seed) {
  DenseTensor tensor = EmptyTensor(DataType::kInt64, {rows, 1});
  for (int64_t i = 0; i < rows; ++i) {
    tensor.mutable_data<int64_t>()[i] = (i * 7 + seed * 3) % kClasses;
  }
  return tensor;
}

// The batch of a step: sizes change, and with them the kernels that are chosen.
// The last has work for several threads: some 280,000 elements in a layer,
// where a chunk is 8,192 to 32,768.
constexpr int64_t kRows[] = {3, 64, 7000};

DenseTensor Images(int step) {
  return Numbers({kRows[step % 3], kInputs}, 100 + step);
}

std::vector<DenseTensor> InitialParameters() {
  return {Numbers({kInputs, kHidden}, 1), Numbers({kHidden}, 2),
          Numbers({kHidden, kClasses}, 3), Numbers({kClasses}, 4)};
}

// The results of a training.
struct Trained {
  std::vector<DenseTensor> losses;
  std::vector<DenseTensor> parameters;
  std::vector<std::string> transcript;  // Of the first step's forward pass.
};

Trained TrainEager() {
  Trained trained;
  DefaultGenerator().Seed(11);
  std::vector<eager::Tensor> parameters;
  for (const DenseTensor& parameter : InitialParameters()) {
    parameters.emplace_back(parameter);
    EXPECT_THAT(parameters.back().set_requires_grad(true), IsOk());
  }
  const eager::Tensor rate(MakeTensor<float>({1}, {0.1f}));
  for (int step = 0; step < kSteps; ++step) {
    const eager::Tensor x(Images(step));
    const eager::Tensor label(Labels(x.dense().extent(0), step));
    eager::Tensor loss;
    {
      const phi::dispatch::SelectionRecorder record;
      const eager::Tensor hidden = eager::relu(
          eager::add(eager::matmul(x, parameters[0]), parameters[1]));
      const eager::Tensor dropped = eager::dropout(hidden, std::nullopt, 0.25f);
      const eager::Tensor logits =
          eager::add(eager::matmul(dropped, parameters[2]), parameters[3]);
      loss = eager::mean(eager::cross_entropy_with_softmax(logits, label).loss);
      if (step == 0) trained.transcript = record.lines();
    }
    EXPECT_THAT(eager::Backward({loss}), IsOk());
    const eager::NoGradGuard no_grad;
    for (eager::Tensor& parameter : parameters) {
      eager::sgd_(parameter, rate, parameter.grad());
      EXPECT_THAT(parameter.set_grad({}), IsOk());
    }
    trained.losses.push_back(loss.dense());
  }
  for (const eager::Tensor& parameter : parameters) {
    trained.parameters.push_back(parameter.dense());
  }
  return trained;
}

std::unique_ptr<ir::Context> MakeContext() {
  auto context = std::make_unique<ir::Context>();
  EXPECT_THAT(static_graph::RegisterDialects(context.get(),
                                             static_graph::AllDialectOps()),
              IsOk());
  return context;
}

// Loss and prediction of the network.
std::array<ir::Value, 2> Forward(GraphBuilder& builder, ir::Context* context,
                                 const std::vector<ir::Value>& parameters) {
  const ir::Value x =
      *builder.AddFeed("x", DataType::kFloat32, {Dim::Unknown(), kInputs});
  const ir::Value label =
      *builder.AddFeed("label", DataType::kInt64, {Dim::Unknown(), 1});
  ir::Value y = *builder.Call("matmul", {x, parameters[0]});
  y = *builder.Call("relu", {*builder.Call("add", {y, parameters[1]})});
  // The builder gives it the random generator's state.
  y = *builder.Call("dropout", {y}, {AttrRef(0.25)});
  y = *builder.Call("matmul", {y, parameters[2]});
  y = *builder.Call("add", {y, parameters[3]});
  std::vector<ir::Value> results;
  EXPECT_THAT(builder.Call(*static_graph::FindOperator(
                               *context, "cross_entropy_with_softmax"),
                           {y, label}, {}, &results),
              IsOk());
  return {*builder.Call("mean", {results[1]}), results[0]};
}

// The forward pass, differentiated, with the updates of the parameters.
ir::Program TrainingProgram(ir::Context* context) {
  GraphBuilder builder(context, "train");
  std::vector<ir::Value> parameters;
  const std::vector<DenseTensor> tensors = InitialParameters();
  for (size_t i = 0; i < tensors.size(); ++i) {
    parameters.push_back(*builder.AddState(kParameters[i], DataType::kFloat32,
                                           tensors[i].shape()));
  }
  const ir::Value rate = *builder.AddState("rate", DataType::kFloat32, {1});
  const auto [loss, prediction] = Forward(builder, context, parameters);
  const auto gradients = builder.Gradients(loss, parameters);
  EXPECT_THAT(gradients, IsOk());
  for (size_t i = 0; i < parameters.size(); ++i) {
    const auto updated =
        builder.Call("sgd_", {parameters[i], rate, (*gradients)[i]});
    EXPECT_THAT(updated, IsOk());
    EXPECT_THAT(builder.Update(kParameters[i], *updated), IsOk());
  }
  EXPECT_THAT(builder.Fetch("loss", loss), IsOk());
  EXPECT_THAT(builder.Fetch("prediction", prediction), IsOk());
  absl::StatusOr<ir::Program> program = builder.Finish();
  EXPECT_THAT(program, IsOk());
  EXPECT_THAT(static_graph::Optimize(*program, phi::KernelTables::Current()),
              IsOk());
  return *std::move(program);
}

State InitialState() {
  State state;
  const std::vector<DenseTensor> parameters = InitialParameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    EXPECT_THAT(state.Set(kParameters[i], parameters[i]), IsOk());
  }
  EXPECT_THAT(state.Set("rate", MakeTensor<float>({1}, {0.1f})), IsOk());
  EXPECT_THAT(state.Set("rng", MakeTensor<int64_t>({2}, {11, 0})), IsOk());
  return state;
}

Trained TrainStatic(const Executable& program, State* state) {
  Trained trained;
  for (int step = 0; step < kSteps; ++step) {
    const DenseTensor x = Images(step);
    const DenseTensor label = Labels(x.extent(0), step);
    const absl::StatusOr<std::vector<Fetch>> fetches =
        program.Run({{"x", x}, {"label", label}}, state);
    EXPECT_THAT(fetches, IsOk());
    if (!fetches.ok()) return trained;
    trained.losses.push_back((*fetches)[0].tensor);
  }
  for (const char* name : kParameters) {
    trained.parameters.push_back(*state->Find(name));
  }
  return trained;
}

std::shared_ptr<const Executable> CompileTraining(
    ir::Context* context, const static_graph::CompileOptions& options = {}) {
  const auto program = Executable::Compile(
      TrainingProgram(context), phi::KernelTables::Current(), options);
  EXPECT_THAT(program, IsOk());
  return program.ok() ? *program : nullptr;
}

void ExpectSame(const Trained& a, const Trained& b) {
  ASSERT_EQ(a.losses.size(), b.losses.size());
  for (size_t i = 0; i < a.losses.size(); ++i) {
    EXPECT_THAT(a.losses[i], TensorIdentical(b.losses[i])) << "step " << i;
  }
  ASSERT_EQ(a.parameters.size(), b.parameters.size());
  for (size_t i = 0; i < a.parameters.size(); ++i) {
    EXPECT_THAT(a.parameters[i], TensorIdentical(b.parameters[i]))
        << kParameters[i];
  }
}

TEST(Training, HasTheSameBitsEagerAndStaticWithOneThreadAndWithTwo) {
  const std::unique_ptr<ir::Context> context = MakeContext();
  const std::shared_ptr<const Executable> program =
      CompileTraining(context.get());
  ASSERT_NE(program, nullptr);
  SetNumThreads(1);
  const Trained eager_one = TrainEager();
  State state_one = InitialState();
  const Trained static_one = TrainStatic(*program, &state_one);
  SetNumThreads(2);
  const Trained eager_two = TrainEager();
  State state_two = InitialState();
  const Trained static_two = TrainStatic(*program, &state_two);
  SetNumThreads(1);
  ExpectSame(static_one, eager_one);
  ExpectSame(eager_two, eager_one);
  ExpectSame(static_two, eager_one);
  EXPECT_THAT(*state_one.Find("rng"),
              TensorIdentical(MakeTensor<int64_t>({2}, {11, kSteps})));
  // Three batch sizes, each looked at once.
  EXPECT_EQ(program->counts().specializations, 3);
}

TEST(Training, ChoosesTheSameKernels) {
  const std::unique_ptr<ir::Context> context = MakeContext();
  const std::shared_ptr<const Executable> program =
      CompileTraining(context.get());
  ASSERT_NE(program, nullptr);
  const std::vector<std::string> eager_lines = TrainEager().transcript;
  const DenseTensor x = Images(0);
  const auto lines = program->Transcript({x.shape(), Shape{x.extent(0), 1}});
  ASSERT_THAT(lines, IsOk());
  ASSERT_GE(lines->size(), eager_lines.size());
  EXPECT_EQ(std::vector<std::string>(lines->begin(),
                                     lines->begin() + eager_lines.size()),
            eager_lines);
}

TEST(Training, KeepsTheBitsWithoutMemoryReuse) {
  const std::unique_ptr<ir::Context> context = MakeContext();
  static_graph::CompileOptions options;
  options.reuse_memory_in_place = false;
  State reused = InitialState();
  State apart = InitialState();
  ExpectSame(TrainStatic(*CompileTraining(context.get()), &reused),
             TrainStatic(*CompileTraining(context.get(), options), &apart));
}

TEST(Training, UpdatesTheParametersWhereTheyAre) {
  const std::unique_ptr<ir::Context> context = MakeContext();
  const std::shared_ptr<const Executable> program =
      CompileTraining(context.get());
  State state = InitialState();
  const DenseTensor w1 = *state.Find("w1");
  TrainStatic(*program, &state);
  EXPECT_EQ(state.Find("w1")->raw_data(), w1.raw_data());
  EXPECT_THAT(program->lowered_text(),
              ::testing::Not(::testing::HasSubstr("kernel.copy")));
}

TEST(Training, LeavesTheStateAloneAfterAnError) {
  const std::unique_ptr<ir::Context> context = MakeContext();
  const std::shared_ptr<const Executable> program =
      CompileTraining(context.get());
  State state = InitialState();
  DenseTensor label = Labels(3, 0);
  label.mutable_data<int64_t>()[1] = 77;
  EXPECT_THAT(program->Run({{"x", Images(0)}, {"label", label}}, &state),
              StatusIs(absl::StatusCode::kOutOfRange,
                       ::testing::HasSubstr("cross_entropy_with_softmax")));
  const State untouched = InitialState();
  for (const State::Entry& entry : untouched.entries()) {
    EXPECT_THAT(*state.Find(entry.name), TensorIdentical(entry.tensor));
  }
}

TEST(Training, ExportsAndSavesTheModel) {
  const std::unique_ptr<ir::Context> context = MakeContext();
  const ir::Program training = TrainingProgram(context.get());
  State state = InitialState();
  TrainStatic(*CompileTraining(context.get()), &state);
  const auto exported = static_graph::ExportInference(training, {"prediction"});
  ASSERT_THAT(exported, IsOk());
  const auto bytes = static_graph::SerializeProgram(*exported, state);
  ASSERT_THAT(bytes, IsOk());
  const std::unique_ptr<ir::Context> other = MakeContext();
  auto saved = static_graph::DeserializeProgram(other.get(), *bytes);
  ASSERT_THAT(saved, IsOk());
  const auto program =
      Executable::Compile(saved->program, phi::KernelTables::Current());
  ASSERT_THAT(program, IsOk());
  EXPECT_THAT((*program)->lowered_text(),
              ::testing::Not(::testing::HasSubstr("sgd_")));
  const auto label_free = (*program)->feeds();
  std::vector<Feed> feeds;
  for (const auto& port : label_free) {
    const DenseTensor x = Images(1);
    feeds.push_back({port.name, port.name == "x" ? x : Labels(x.extent(0), 1)});
  }
  const auto fetches = (*program)->Run(feeds, &saved->state);
  ASSERT_THAT(fetches, IsOk());
  EXPECT_EQ((*fetches)[0].tensor.extent(1), kClasses);
}

TEST(Training, RunsInEightThreadsAtOnce) {
  const std::unique_ptr<ir::Context> context = MakeContext();
  const auto exported =
      static_graph::ExportInference(TrainingProgram(context.get()), {"loss"});
  ASSERT_THAT(exported, IsOk());
  const auto program =
      Executable::Compile(*exported, phi::KernelTables::Current());
  ASSERT_THAT(program, IsOk());
  State state = InitialState();
  const auto run = [&](int step) {
    const DenseTensor x = Images(step);
    return (*program)->Run({{"x", x}, {"label", Labels(x.extent(0), step)}},
                           &state);
  };
  std::vector<DenseTensor> serial;
  for (int step = 0; step < 32; ++step) {
    const auto fetches = run(step);
    ASSERT_THAT(fetches, IsOk());
    serial.push_back((*fetches)[0].tensor);
  }
  // Each thread runs all of them, from another on; they begin together.
  constexpr size_t kThreads = 8;
  std::array<std::vector<DenseTensor>, kThreads> parallel;
  std::atomic<size_t> ready{0};
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < kThreads; ++thread) {
    parallel[thread].resize(serial.size());
    threads.emplace_back([&, thread] {
      ++ready;
      while (ready < kThreads) std::this_thread::yield();
      for (size_t i = 0; i < serial.size(); ++i) {
        const size_t step = (i + thread) % serial.size();
        const auto fetches = run(static_cast<int>(step));
        if (fetches.ok()) parallel[thread][step] = (*fetches)[0].tensor;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<DenseTensor>& results : parallel) {
    for (size_t step = 0; step < serial.size(); ++step) {
      ASSERT_TRUE(results[step].allocated()) << step;
      EXPECT_THAT(results[step], TensorIdentical(serial[step])) << step;
    }
  }
}

}  // namespace
}  // namespace switchyard
