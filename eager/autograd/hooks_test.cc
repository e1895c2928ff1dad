// SPDX-License-Identifier: Apache-2.0
// Hooks and kept gradients (eager/tensor/tensor.h) as the engine runs them.
#include <string>
#include <vector>

#include "eager/autograd/engine.h"
#include "eager/autograd/grad_mode.h"
#include "eager/tensor/tensor.h"
#include "eager/testing/toy_ops.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard::eager {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using toy::Constant;
using toy::Leaf;
using toy::Multiply;
using toy::Scale;
using toy::Values;

// Appends `name` to `log`, and replaces the gradient by `factor` times it.
GradHook Logged(std::string name, std::string* log, double factor = 0) {
  return [=](const Tensor& grad) -> absl::StatusOr<Tensor> {
    *log += name;
    return factor == 0 ? Tensor() : Scale(grad, factor);
  };
}

TEST(HooksTest, RunInOrderOnTheSumAndReplaceIt) {
  std::string log;
  const Tensor x = Leaf({1}, {3});
  Tensor h = Scale(x, 2);
  ASSERT_THAT(h.RegisterHook(Logged("a", &log)), IsOk());
  ASSERT_THAT(h.RegisterHook(Logged("b", &log, 10)), IsOk());
  std::vector<double> seen;
  ASSERT_THAT(h.RegisterHook([&](const Tensor& g) -> absl::StatusOr<Tensor> {
    seen.push_back(Values(g)[0]);
    return Tensor();
  }),
              IsOk());
  ASSERT_THAT(Backward({Multiply(h, h)}), IsOk());
  EXPECT_EQ(log, "ab");
  EXPECT_THAT(seen, ElementsAre(120));  // 2 h = 12, once, times 10.
  EXPECT_THAT(Values(x.grad()), ElementsAre(240));
}

TEST(HooksTest, AreRemovedByTheirHandle) {
  std::string log;
  Tensor x = Leaf({1}, {3});
  auto first = x.RegisterHook(Logged("a", &log));
  auto second = x.RegisterHook(Logged("b", &log));
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(second, IsOk());
  ASSERT_THAT(Backward({Scale(x, 2)}), IsOk());
  first->Remove();
  first->Remove();
  ASSERT_THAT(Backward({Scale(x, 2)}), IsOk());
  EXPECT_EQ(log, "abb");
}

TEST(HooksTest, OfALeafRunBeforeItAccumulates) {
  std::string log;
  Tensor x = Leaf({1}, {3});
  ASSERT_THAT(x.RegisterHook(Logged("h", &log, 0.5)), IsOk());
  ASSERT_THAT(x.RegisterPostAccumulateHook([&](Tensor* grad) {
    log += "p";
    EXPECT_THAT(Values(*grad), ElementsAre(1));
    *grad = Tensor();
    return absl::OkStatus();
  }),
              IsOk());
  ASSERT_THAT(Backward({Scale(x, 2)}), IsOk());
  EXPECT_EQ(log, "hp");
  EXPECT_FALSE(x.grad().defined());
}

TEST(HooksTest, SurviveTheirTensor) {
  std::string log;
  const Tensor x = Leaf({1}, {3});
  Tensor h = Scale(x, 2);
  ASSERT_THAT(h.RegisterHook(Logged("a", &log)), IsOk());
  const Tensor y = Scale(h, 2);
  h = Tensor();
  ASSERT_THAT(Backward({y}), IsOk());
  EXPECT_EQ(log, "a");
}

TEST(HooksTest, ErrorsStopTheRun) {
  Tensor x = Leaf({1}, {3});
  ASSERT_THAT(x.RegisterHook([](const Tensor&) -> absl::StatusOr<Tensor> {
    return absl::AbortedError("stop");
  }),
              IsOk());
  EXPECT_THAT(Backward({Scale(x, 2)}), StatusIs(absl::StatusCode::kAborted));
  EXPECT_FALSE(x.grad().defined());
}

TEST(HooksTest, MustKeepShapeAndDtype) {
  Tensor x = Leaf({1}, {3});
  ASSERT_THAT(x.RegisterHook([](const Tensor&) -> absl::StatusOr<Tensor> {
    return Constant({2}, {1, 2});
  }),
              IsOk());
  EXPECT_THAT(Backward({Scale(x, 2)}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("result of a gradient hook must be")));
}

TEST(HooksTest, MayRunBackwardThemselves) {
  const Tensor w = Leaf({1}, {4});
  Tensor x = Leaf({1}, {3});
  ASSERT_THAT(x.RegisterHook([&](const Tensor&) -> absl::StatusOr<Tensor> {
    // Grad mode is off in a hook, unless create_graph.
    GradModeGuard mode(GradMode::kOn);
    SY_RETURN_IF_ERROR(Backward({Multiply(w, w)}));
    return Tensor();
  }),
              IsOk());
  ASSERT_THAT(Backward({Scale(x, 2)}), IsOk());
  EXPECT_THAT(Values(w.grad()), ElementsAre(8));
  EXPECT_THAT(Values(x.grad()), ElementsAre(2));
}

TEST(HooksTest, NeedATensorThatRequiresGrad) {
  Tensor x = Constant({1}, {3});
  std::string log;
  EXPECT_THAT(x.RegisterHook(Logged("a", &log)),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  Tensor h = Scale(Leaf({1}, {3}), 2);
  EXPECT_THAT(
      h.RegisterPostAccumulateHook([](Tensor*) { return absl::OkStatus(); }),
      StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(RetainGradTest, KeepsTheGradientOfAComputedTensor) {
  const Tensor x = Leaf({1}, {3});
  Tensor h = Scale(x, 2);
  const Tensor other = Scale(x, 2);
  ASSERT_THAT(h.RetainGrad(), IsOk());
  EXPECT_TRUE(h.retains_grad());
  ASSERT_THAT(Backward({Multiply(h, other)}), IsOk());
  EXPECT_THAT(Values(h.grad()), ElementsAre(6));
  EXPECT_FALSE(other.grad().defined());
}

}  // namespace
}  // namespace switchyard::eager
