// SPDX-License-Identifier: Apache-2.0
// Eager calls and gradients while anomalies are detected.
#include "eager/call/anomaly_mode.h"

#include <limits>
#include <string>

#include "eager/autograd/engine.h"
#include "eager/autograd/grad_mode.h"
#include "eager/call/run.h"
#include "eager/testing/toy_ops.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gtest/gtest.h"
#include "phi/core/anomaly/anomaly.h"

namespace switchyard::eager {
namespace {

using ::testing::HasSubstr;
using toy::Call;
using toy::Constant;
using toy::Leaf;
using toy::Multiply;
using toy::Scale;
using toy::Sum;
using toy::Values;

constexpr auto kPrecondition = absl::StatusCode::kFailedPrecondition;
constexpr double kMost = std::numeric_limits<double>::max();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::string ThirdLine() { return "model.py:3"; }

class AnomalyModeTest : public ::testing::Test {
 protected:
  AnomalyModeTest() {
    SetDetectsAnomalies(true);
    SetCallSite(&ThirdLine);
  }
  ~AnomalyModeTest() override {
    SetDetectsAnomalies(false);
    SetCallSite(nullptr);
  }
};

TEST_F(AnomalyModeTest, TheFirstCallIsNamed) {
  const Tensor x = Constant({2}, {1, kMost});
  const absl::Status status = Call(toy::add, {&x, &x}).status();
  EXPECT_TRUE(phi::IsAnomaly(status));
  EXPECT_FALSE(phi::IsPlacedAnomaly(status));
  EXPECT_THAT(status,
              StatusIs(kPrecondition,
                       HasSubstr("add: out has infinity at [1], though x "
                                 "(from 1 to 1.79769e+308) and y")));
  SetDetectsAnomalies(false);
  EXPECT_THAT(Call(toy::add, {&x, &x}), IsOk());
}

TEST_F(AnomalyModeTest, WhatWasInfiniteBeforeIsNot) {
  const Tensor x = Constant({1}, {kInf});
  EXPECT_THAT(Call(toy::add, {&x, &x}), IsOk());
  const Tensor zero = Constant({1}, {0});
  EXPECT_THAT(Call(toy::multiply, {&x, &zero}),
              StatusIs(kPrecondition, HasSubstr("out has NaN at [0], though x "
                                                "(infinite in places) and y")));
}

TEST_F(AnomalyModeTest, CallsInPlaceAreReadBefore) {
  const Tensor x = Constant({1}, {kMost}), y = Constant({1}, {kMost});
  EXPECT_THAT(
      Call(toy::add_, {&x, &y}),
      StatusIs(kPrecondition, HasSubstr("though x (from 1.79769e+308")));
}

TEST_F(AnomalyModeTest, GradientsNameTheLineOfTheCall) {
  const Tensor x = Leaf({1}, {1});
  // The gradient, 1e200 twice, leaves the range.
  const Tensor y = Scale(Scale(x, 1e200), 1e-200);
  const Tensor out = Scale(Scale(x, 1e200), 1.0);
  const Tensor seed = Constant({1}, {1e200});
  EXPECT_THAT(Grad({&out, 1}, {&x, 1}, {&seed, 1}),
              StatusIs(kPrecondition, HasSubstr(" (at model.py:3)")));
  EXPECT_THAT(Grad({&y, 1}, {&x, 1}), IsOk());
}

TEST_F(AnomalyModeTest, ANodeFromBeforeHasNoLine) {
  SetDetectsAnomalies(false);
  const Tensor x = Leaf({1}, {1});
  const Tensor y = Scale(x, 1e200);
  const Tensor seed = Constant({1}, {1e200});
  SetDetectsAnomalies(true);
  EXPECT_THAT(Grad({&y, 1}, {&x, 1}, {&seed, 1}),
              StatusIs(kPrecondition,
                       HasSubstr("; where scale was called is not known, since "
                                 "detect_anomaly was off then")));
}

// multiply_grad is made of operators: the error names it, not one of them.
TEST_F(AnomalyModeTest, ACompositeIsOneCall) {
  const Tensor x = Leaf({1}, {1e200}), y = Leaf({1}, {1e100});
  const Tensor out = Multiply(x, y);
  const Tensor seed = Constant({1}, {1e200});
  EXPECT_THAT(Grad({&out, 1}, {&y, 1}, {&seed, 1}),
              StatusIs(kPrecondition, HasSubstr("multiply_grad: y_grad has")));
}

}  // namespace
}  // namespace switchyard::eager
