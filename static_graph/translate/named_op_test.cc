// SPDX-License-Identifier: Apache-2.0
#include "static_graph/translate/named_op.h"

#include <memory>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
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

TEST_F(NamedOpTest, BuildsTheCallThatIsNamed) {
  const Scalar two(2.0);
  const auto twos = BuildNamedOp(builder_, "the test needs", "full_like", {x_},
                                 {AttrRef(two)});
  ASSERT_THAT(twos, IsOk());
  const auto sum = BuildNamedOp(builder_, "the test needs", "add", {x_, *twos});
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
  EXPECT_THAT(BuildNamedOp(builder_, "the test needs", "absent", {x_}),
              StatusIs(absl::StatusCode::kUnimplemented,
                       "the test needs the operator absent"));
}

TEST_F(NamedOpTest, RefusesWhatTheOperatorRefuses) {
  EXPECT_THAT(BuildNamedOp(builder_, "the test needs", "relu", {x_, x_}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "relu: inputs must be 1 arguments, got 2 arguments in "
                       "2 slots"));
}

}  // namespace
}  // namespace switchyard::static_graph
