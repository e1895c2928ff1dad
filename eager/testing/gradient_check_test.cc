// SPDX-License-Identifier: Apache-2.0
#include "eager/testing/gradient_check.h"

#include "eager/testing/toy_ops.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard::eager {
namespace {

using ::testing::HasSubstr;
using toy::Constant;

using Tensors = absl::Span<const Tensor>;
using Result = absl::StatusOr<std::vector<Tensor>>;

TEST(GradientCheckTest, AcceptsRightGradientsOfBothOrders) {
  GradientCheckOptions options;
  options.second_order = true;
  const auto cubes = [](Tensors in) -> Result {
    return std::vector<Tensor>{
        toy::Multiply(toy::Multiply(in[0], in[0]), in[1]), toy::Sum(in[0])};
  };
  EXPECT_THAT(CheckGradients(cubes,
                             {Constant({2, 3}, {1, -2, 3, 0.5, 0, 7}),
                              Constant({3}, {2, 3, -5})},
                             options),
              IsOk());
}

TEST(GradientCheckTest, FindsAWrongGradient) {
  // A factor that is hidden from the graph.
  const auto wrong = [](Tensors in) -> Result {
    return std::vector<Tensor>{toy::Multiply(in[0], in[0].detach())};
  };
  EXPECT_THAT(CheckGradients(wrong, {Constant({2}, {0, 3})}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("gradient of input 0 at element 1 must be")));
}

TEST(GradientCheckTest, HandsOnTheOperatorsError) {
  const auto fails = [](Tensors) -> Result {
    return absl::AbortedError("relu: broken");
  };
  EXPECT_THAT(CheckGradients(fails, {Constant({1}, {1})}),
              StatusIs(absl::StatusCode::kAborted));
}

TEST(GradientCheckTest, SecondOrderNeedsADifferentiableGradient) {
  GradientCheckOptions options;
  options.second_order = true;
  const auto relu = [](Tensors in) -> Result {
    return std::vector<Tensor>{toy::Relu(in[0])};
  };
  EXPECT_THAT(CheckGradients(relu, {Constant({2}, {-1, 3})}), IsOk());
  EXPECT_THAT(CheckGradients(relu, {Constant({2}, {-1, 3})}, options),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("second order: relu: create_graph")));
}

}  // namespace
}  // namespace switchyard::eager
