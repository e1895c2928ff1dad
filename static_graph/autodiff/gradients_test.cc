// SPDX-License-Identifier: Apache-2.0
#include "static_graph/autodiff/gradients.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "framework/testing/matchers.h"
#include "static_graph/autodiff/testing/gradient_cases.h"
#include "static_graph/dialect/register_dialects.h"
#include "static_graph/dialect/testing/toy_operators.h"
#include "static_graph/ir/parser.h"

namespace switchyard::static_graph {
namespace {

TEST(Gradients, AreThoseOfTheCases) {
  std::ifstream in("static_graph/autodiff/testdata/gradients.txt");
  ASSERT_TRUE(in.good());
  const std::string cases((std::istreambuf_iterator<char>(in)),
                          std::istreambuf_iterator<char>());
  EXPECT_EQ(testing::WithGradients(cases), cases)
      << "If this is what you want: bazel run "
         "//static_graph/autodiff:gradients_update";
}

TEST(Gradients, TakeTheTargetsOwnGradient) {
  const std::unique_ptr<ir::Context> context = testing::ToyContext();
  absl::StatusOr<ir::Program> program = ir::Parse(context.get(), R"(program @p {
  ^entry(%x: feed "x" tensor<float32[3]>, %g: feed "g" tensor<float64[3]>):
    %0 = op.relu(%x) : tensor<float32[3]>
    builtin.return("out" = %0)
}
)");
  ASSERT_THAT(program, IsOk());
  ir::Builder builder(context.get());
  builder.SetInsertionPoint(program->return_op());
  const ir::Value x = program->entry().argument(0);
  const ir::Value out = program->fetches()[0].value;
  EXPECT_THAT(BuildGradients(builder, out, {x}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "gradients: target must be of one element, got "
                       "tensor<float32[3]>"));
  GradientOptions options;
  options.target_gradient = program->entry().argument(1);
  EXPECT_THAT(BuildGradients(builder, out, {x}, options),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "gradients: target_gradient must be "
                       "tensor<float32[3]>, got tensor<float64[3]>"));
  options.target_gradient = x;
  const auto gradients = BuildGradients(builder, out, {x}, options);
  ASSERT_THAT(gradients, IsOk());
  EXPECT_EQ((*gradients)[0].defining_op()->name(), "op.relu_grad");
}

TEST(Gradients, NeedOperatorsOfTheirOwn) {
  ir::Context context;
  ASSERT_THAT(RegisterDialects(&context, {&testing::ToyOp("relu"),
                                          &testing::ToyOp("relu_grad")}),
              IsOk());
  absl::StatusOr<ir::Program> program = ir::Parse(&context, R"(program @p {
  ^entry(%x: feed "x" tensor<float32[1]>):
    %0 = op.relu(%x) : tensor<float32[1]>
    builtin.return("out" = %0)
}
)");
  ASSERT_THAT(program, IsOk());
  ir::Builder builder(&context);
  builder.SetInsertionPoint(program->return_op());
  EXPECT_THAT(
      BuildGradients(builder, program->fetches()[0].value,
                     {program->entry().argument(0)}),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               ::testing::AllOf(::testing::HasSubstr("gradients: the operator"),
                                ::testing::HasSubstr(
                                    "is not registered with the context"))));
}

}  // namespace
}  // namespace switchyard::static_graph
