// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/control/named_op.h"

#include <memory>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "static_graph/dialect/add.gen.h"
#include "static_graph/dialect/full_like.gen.h"
#include "static_graph/dialect/testing/toy_operators.h"
#include "static_graph/ir/printer.h"
#include "static_graph/ir/program.h"

namespace switchyard::static_graph {
namespace {

class NamedOpTest : public ::testing::Test {
 protected:
  std::unique_ptr<ir::Context> context_ = testing::ToyContext();
  ir::Program program_{context_.get(), "p"};
  ir::Builder builder_{context_.get(), &program_.entry()};
  ir::Value x_ = program_.AddFeed(
      "x", context_->GetTensorType(DataType::kFloat32, Shape({3})));
};

TEST_F(NamedOpTest, ReturnsTheResult) {
  const auto twos =
      ResultFor("the test needs", FullLikeOp::Build(builder_, x_, Scalar(2.0)));
  ASSERT_THAT(twos, IsOk());
  const auto sum =
      ResultFor("the test needs", AddOp::Build(builder_, x_, *twos));
  ASSERT_THAT(sum, IsOk());
  program_.Return({{"out", *sum}}, {});
  EXPECT_EQ(ir::Print(program_), R"(program @p {
  ^entry(%x: feed "x" tensor<float32[3]>):
    %0 = op.full_like(%x) {dtype = undefined, value = scalar(2.0)} : tensor<float32[3]>
    %1 = op.add(%x, %0) : tensor<float32[3]>
    builtin.return("out" = %1)
}
)");
}

TEST_F(NamedOpTest, SaysWhatNeedsAnOperatorThatIsAbsent) {
  ir::Context bare;
  ir::Program program(&bare, "p");
  ir::Builder builder(&bare, &program.entry());
  const ir::Value x =
      program.AddFeed("x", bare.GetTensorType(DataType::kFloat32, Shape({3})));
  EXPECT_THAT(ResultFor("the test needs", AddOp::Build(builder, x, x)),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "the test needs the operator add"));
}

TEST_F(NamedOpTest, RefusesWhatTheOperatorRefuses) {
  const ir::Value y = program_.AddFeed(
      "y", context_->GetTensorType(DataType::kFloat32, Shape({4})));
  EXPECT_THAT(ResultFor("the test needs", AddOp::Build(builder_, x_, y)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "add: y must be [3], got [4]"));
}

}  // namespace
}  // namespace switchyard::static_graph
