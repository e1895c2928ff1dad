// SPDX-License-Identifier: Apache-2.0
#include "eager/autograd/engine.h"

#include <string>
#include <thread>
#include <vector>

#include "eager/autograd/grad_mode.h"
#include "eager/call/run.h"
#include "eager/testing/toy_ops.h"
#include "framework/memory/cpu_allocator.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard::eager {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using toy::Add;
using toy::Constant;
using toy::Leaf;
using toy::Multiply;
using toy::Relu;
using toy::Scale;
using toy::Split;
using toy::Sum;
using toy::Values;

constexpr auto kPrecondition = absl::StatusCode::kFailedPrecondition;

TEST(EngineTest, AccumulatesIntoLeaves) {
  const Tensor x = Leaf({2}, {2, 3}), y = Leaf({2}, {5, 7});
  const Tensor loss = Sum(Multiply(x, y));
  ASSERT_THAT(Backward({loss}), IsOk());
  EXPECT_THAT(Values(x.grad()), ElementsAre(5, 7));
  EXPECT_THAT(Values(y.grad()), ElementsAre(2, 3));
  ASSERT_THAT(Backward({Sum(x)}), IsOk());
  EXPECT_THAT(Values(x.grad()), ElementsAre(6, 8));
}

TEST(EngineTest, DiamondAddsBothPaths) {
  const Tensor x = Leaf({1}, {3});
  const Tensor a = Multiply(x, x), b = Scale(x, 4);
  ASSERT_THAT(Backward({Multiply(a, b)}), IsOk());  // 4 x^3
  EXPECT_THAT(Values(x.grad()), ElementsAre(108));
}

TEST(EngineTest, BroadcastGradientsHaveTheInputsShape) {
  const Tensor x = Leaf({2, 3}, {1, 2, 3, 4, 5, 6}), b = Leaf({3}, {1, 1, 1});
  ASSERT_THAT(Backward({Sum(Multiply(x, b))}), IsOk());
  EXPECT_THAT(Values(b.grad()), ElementsAre(5, 7, 9));
  EXPECT_EQ(x.grad().shape(), Shape({2, 3}));
}

// The documented order: the last consumer's contribution comes first. With
// 1e16, 1 and -1e16 the order shows in the result.
TEST(EngineTest, AddsContributionsFromTheLastConsumerToTheFirst) {
  const Tensor x = Leaf({1}, {1});
  const Tensor first = Scale(x, 1);
  const Tensor second = Scale(x, 1e16);
  const Tensor third = Scale(x, -1e16);
  // However the consumers are combined.
  const Tensor sum = Add(second, Add(third, first));
  ASSERT_THAT(Backward({sum}), IsOk());
  EXPECT_THAT(Values(x.grad()), ElementsAre((-1e16 + 1e16) + 1));

  const Tensor y = Leaf({1}, {1});
  const Tensor large = Scale(y, 1e16);
  const Tensor one = Scale(y, 1);
  const Tensor minus = Scale(y, -1e16);
  ASSERT_THAT(Backward({Add(minus, Add(one, large))}), IsOk());
  EXPECT_THAT(Values(y.grad()), ElementsAre((-1e16 + 1) + 1e16));
}

TEST(EngineTest, GradientsOfLeavesDoNotShareBuffers) {
  const Tensor x = Leaf({2}, {1, 2}), y = Leaf({2}, {3, 4});
  const Tensor first = Constant({2}, {1, 1});
  ASSERT_THAT(Backward({Add(x, y)}, {first}), IsOk());
  EXPECT_NE(x.grad().dense().buffer(), y.grad().dense().buffer());
  EXPECT_NE(x.grad().dense().buffer(), first.dense().buffer());
  EXPECT_NE(y.grad().dense().buffer(), first.dense().buffer());
}

TEST(EngineTest, FirstGradientIsChecked) {
  const Tensor x = Leaf({2}, {1, 2});
  const Tensor y = Scale(x, 2);
  EXPECT_THAT(Backward({y}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("backward: grad_outputs[0] must be given")));
  EXPECT_THAT(
      Backward({y}, {Constant({3}, {1, 1, 1})}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "backward: grad_outputs[0] must be of shape [2], got [3]"));
  EXPECT_THAT(Backward({y}, {Tensor(), Tensor()}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "backward: grad_outputs must be empty or 1 tensors, one "
                       "for each output, got 2"));
  EXPECT_THAT(Backward({Constant({1}, {1})}),
              StatusIs(kPrecondition,
                       "backward: outputs[0] must be a tensor that requires "
                       "grad, got one that does not"));
  EXPECT_FALSE(x.grad().defined());
}

TEST(EngineTest, SeveralOutputsRunOnce) {
  const Tensor x = Leaf({1}, {2});
  const Tensor y = Scale(x, 3);
  const Tensor z = Scale(y, 5);
  ASSERT_THAT(Backward({y, z, y}), IsOk());
  EXPECT_THAT(Values(x.grad()), ElementsAre(3 + 15 + 3));
}

TEST(EngineTest, LeafAsOutput) {
  const Tensor x = Leaf({1}, {2});
  ASSERT_THAT(Backward({x}, {Constant({1}, {7})}),
              StatusIs(kPrecondition,
                       "backward: outputs must be computed by an operator, got "
                       "leaves only"));
  const Tensor y = Leaf({1}, {2});
  ASSERT_THAT(Backward({y, Scale(y, 2)}), IsOk());
  EXPECT_THAT(Values(y.grad()), ElementsAre(3));
}

TEST(EngineTest, MissingGradientsOfAListAreZeros) {
  const Tensor x = Leaf({4}, {1, 2, 3, 4});
  const std::vector<Tensor> parts = Split(x, {1, 2, 1});
  ASSERT_THAT(Backward({Sum(Scale(parts[1], 3))}), IsOk());
  EXPECT_THAT(Values(x.grad()), ElementsAre(0, 3, 3, 0));
}

TEST(EngineTest, RunsTwiceOnlyIfTheGraphIsRetained) {
  const Tensor x = Leaf({1}, {3});
  const Tensor y = Multiply(x, x);
  BackwardOptions retain;
  retain.retain_graph = true;
  ASSERT_THAT(Backward({y}, {}, retain), IsOk());
  ASSERT_THAT(Backward({y}), IsOk());
  EXPECT_THAT(Values(x.grad()), ElementsAre(12));
  EXPECT_THAT(Backward({y}),
              StatusIs(kPrecondition, HasSubstr("retain_graph")));
  EXPECT_THAT(Values(x.grad()), ElementsAre(12));
}

TEST(EngineTest, NoGradRecordsNothing) {
  const Tensor x = Leaf({1}, {3});
  {
    NoGradGuard no_grad;
    EXPECT_FALSE(Multiply(x, x).requires_grad());
    GradModeGuard again(GradMode::kOn);
    EXPECT_TRUE(Multiply(x, x).requires_grad());
  }
  EXPECT_TRUE(Multiply(x, x).requires_grad());
  EXPECT_FALSE(Multiply(x.detach(), x.detach()).requires_grad());
}

TEST(GradTest, AccumulatesNowhereAndSkipsWhatIsNotAsked) {
  const Tensor x = Leaf({1}, {3}), w = Leaf({1}, {5});
  const Tensor h = Multiply(x, w);
  const Tensor y = Multiply(h, h);
  const auto grads = Grad({y}, {h, w});
  ASSERT_THAT(grads, IsOk());
  EXPECT_THAT(Values((*grads)[0]), ElementsAre(30));
  EXPECT_THAT(Values((*grads)[1]), ElementsAre(90));
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(w.grad().defined());
}

TEST(GradTest, AComputedTensorRequiresGrad) {
  const Tensor x = Leaf({1}, {3});
  Tensor y = Multiply(x, x);
  EXPECT_THAT(y.set_requires_grad(false),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("cannot clear requires_grad of a computed "
                                 "tensor; use detach()")));
  EXPECT_FALSE(y.detach().requires_grad());
}

TEST(GradTest, UnusedInput) {
  const Tensor x = Leaf({1}, {3}), unused = Leaf({1}, {5});
  const Tensor y = Multiply(x, x);
  EXPECT_THAT(Grad({y}, {unused}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "grad: the outputs do not depend on inputs[0]; set "
                       "allow_unused to get no gradient"));
  GradOptions options;
  options.allow_unused = true;
  const auto grads = Grad({y}, {unused, x}, {}, options);
  ASSERT_THAT(grads, IsOk());
  EXPECT_FALSE((*grads)[0].defined());
  EXPECT_THAT(Values((*grads)[1]), ElementsAre(6));
  EXPECT_THAT(Grad({y}, {Constant({1}, {1})}),
              StatusIs(kPrecondition,
                       "grad: inputs[0] must be a tensor "
                       "that requires grad, got one that does not"));
}

TEST(GradTest, OfTheOutputItself) {
  const Tensor x = Leaf({1}, {3});
  const Tensor y = Scale(x, 2);
  const auto grads = Grad({y}, {y, x});
  ASSERT_THAT(grads, IsOk());
  EXPECT_THAT(Values((*grads)[0]), ElementsAre(1));
  EXPECT_THAT(Values((*grads)[1]), ElementsAre(2));
}

TEST(CreateGraphTest, ThirdOrder) {
  const Tensor x = Leaf({1}, {2});
  Tensor y = Multiply(Multiply(x, x), Multiply(x, x));  // x^4
  GradOptions options;
  options.create_graph = true;
  std::vector<double> values;
  for (int order = 0; order < 4; ++order) {
    const auto grads = Grad({y}, {x}, {}, options);
    ASSERT_THAT(grads, IsOk());
    y = (*grads)[0];
    values.push_back(Values(y)[0]);
  }
  EXPECT_THAT(values, ElementsAre(32, 48, 48, 24));
}

TEST(CreateGraphTest, ThroughBroadcastAndViews) {
  const Tensor x = Leaf({2, 2}, {1, 2, 3, 4}), b = Leaf({2}, {5, 6});
  const Tensor flat = toy::Reshape(Multiply(x, b), {4});
  GradOptions options;
  options.create_graph = true;
  const auto first = Grad({Sum(Multiply(flat, flat))}, {b}, {}, options);
  ASSERT_THAT(first, IsOk());  // 2 b sum(x^2) by column
  EXPECT_THAT(Values((*first)[0]), ElementsAre(2 * 5 * 10, 2 * 6 * 20));
  const auto second = Grad({Sum((*first)[0])}, {x});
  ASSERT_THAT(second, IsOk());  // 4 b x
  EXPECT_THAT(Values((*second)[0]), ElementsAre(20, 48, 60, 96));
}

TEST(CreateGraphTest, GradientWithoutGradientIsRefusedByName) {
  const Tensor x = Leaf({1}, {2});
  GradOptions options;
  options.create_graph = true;
  EXPECT_THAT(Grad({Relu(x)}, {x}, {}, options),
              StatusIs(kPrecondition, HasSubstr("relu: create_graph must be")));
}

// Nothing is saved for `scale`: memory is the nodes' and tensors' own.
TEST(EngineTest, MillionNodeChainRunsAndIsFreedWithoutRecursion) {
  const int64_t before = CurrentCpuMemoryUse().blocks;
  {
    const Tensor x = Leaf({1}, {1});
    Tensor y = x;
    for (int i = 0; i < 1000000; ++i) y = Scale(y, 1);
    ASSERT_THAT(Backward({y}), IsOk());
    EXPECT_THAT(Values(x.grad()), ElementsAre(1));
  }
  EXPECT_EQ(CurrentCpuMemoryUse().blocks, before);
}

// Every node keeps its result, so that tensors and nodes alternate.
TEST(EngineTest, DeepGraphThatNeverRanIsFreedWithoutRecursion) {
  const int64_t before = CurrentCpuMemoryUse().blocks;
  {
    Tensor y = Leaf({1}, {1});
    for (int i = 0; i < 300000; ++i) y = Relu(y);
  }
  EXPECT_EQ(CurrentCpuMemoryUse().blocks, before);
}

TEST(EngineTest, LeaksNothing) {
  const int64_t before = CurrentCpuMemoryUse().blocks;
  for (int i = 0; i < 10; ++i) {
    const Tensor x = Leaf({2}, {1, 2});
    Tensor state = Scale(x, 1);
    // An in-place update by something computed from the old value.
    const Tensor update = Relu(state);
    ASSERT_THAT(toy::Call(toy::add_, {&state, &update}), IsOk());
    GradOptions options;
    options.create_graph = true;
    ASSERT_THAT(Grad({Sum(Multiply(x, x))}, {x}, {}, options), IsOk());
    EXPECT_THAT(Backward({state}),
                StatusIs(absl::StatusCode::kInvalidArgument));
    ASSERT_THAT(Backward({Sum(state)}), IsOk());
  }
  EXPECT_EQ(CurrentCpuMemoryUse().blocks, before);
}

TEST(EngineTest, IndependentGraphsInEightThreads) {
  const Tensor shared = Leaf({1}, {2});
  std::vector<std::thread> threads;
  std::vector<double> results(8);
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t, &results, &shared] {
      const Tensor x = Leaf({1}, {static_cast<double>(t)});
      for (int i = 0; i < 200; ++i) {
        const Tensor y = Multiply(Multiply(x, x), shared);
        EXPECT_THAT(Backward({y}), IsOk());
      }
      results[t] = Values(x.grad())[0];
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < 8; ++t) EXPECT_EQ(results[t], 200 * 4.0 * t);
  EXPECT_THAT(Values(shared.grad()), ElementsAre(200 * 140));
}

}  // namespace
}  // namespace switchyard::eager
