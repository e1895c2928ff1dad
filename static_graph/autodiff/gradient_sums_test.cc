// SPDX-License-Identifier: Apache-2.0
#include "static_graph/autodiff/gradient_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "framework/testing/matchers.h"
#include "static_graph/dialect/testing/toy_operators.h"
#include "static_graph/ir/parser.h"

namespace switchyard::static_graph {
namespace {

class GradientSumsTest : public ::testing::Test {
 protected:
  GradientSumsTest()
      : context_(testing::ToyContext()), builder_(context_.get()) {
    program_ = ir::Parse(context_.get(), R"(program @p {
  ^entry(%x: feed "x" tensor<float32[3]>, %y: feed "y" tensor<float32[3]>):
    builtin.return("out" = %x)
}
)");
    builder_.SetInsertionPoint(program_->return_op());
  }
  ir::Value x() const { return program_->entry().argument(0); }
  ir::Value y() const { return program_->entry().argument(1); }

  std::unique_ptr<ir::Context> context_;
  absl::StatusOr<ir::Program> program_;
  ir::Builder builder_;
};

TEST_F(GradientSumsTest, AddUpWhatIsRequired) {
  GradientSums sums(&builder_);
  ASSERT_THAT(sums.Accumulate(x(), y()), IsOk());
  EXPECT_FALSE(sums.gradient(x()));
  sums.Require({x()});
  EXPECT_TRUE(sums.required(x()));
  EXPECT_FALSE(sums.required(y()));
  // The first contribution is the sum; the others are added after it.
  ASSERT_THAT(sums.Accumulate(x(), y()), IsOk());
  EXPECT_EQ(sums.gradient(x()), y());
  ASSERT_THAT(sums.Accumulate(x(), x()), IsOk());
  const ir::Operation& add = *sums.gradient(x()).defining_op();
  EXPECT_EQ(add.name(), "op.add");
  EXPECT_EQ(add.operand(0), y());
  EXPECT_EQ(add.operand(1), x());
  sums.Replace(x(), x());
  EXPECT_EQ(sums.gradient(x()), x());
}

TEST_F(GradientSumsTest, EndWhereTheyAreStopped) {
  GradientSums sums(&builder_);
  sums.Require({x(), y()});
  sums.Stop({x()});
  EXPECT_FALSE(sums.required(x()));
  EXPECT_TRUE(sums.stopped(x()));
  GradientSums inside(&builder_);
  ir::ValueMap map;
  map[x()] = y();
  inside.StopAs(sums, map);
  EXPECT_TRUE(inside.stopped(y()));
  EXPECT_FALSE(inside.stopped(x()));
}

TEST_F(GradientSumsTest, AreThoseOfTheFirstValueForItsCopies) {
  GradientSums sums(&builder_);
  sums.Require({x()});
  sums.AddCopy(x(), y());
  EXPECT_TRUE(sums.required(y()));
  ASSERT_THAT(sums.Accumulate(y(), x()), IsOk());
  EXPECT_EQ(sums.gradient(x()), x());
}

TEST_F(GradientSumsTest, AreNothingOrZerosWhereNothingCame) {
  const GradientSums sums(&builder_);
  const auto fill = [](ir::Value value) {
    return value.defining_op()->attribute("value").As<Scalar>()->ToDouble();
  };
  const absl::StatusOr<ir::Value> nothing = sums.SumOrNothing(x());
  ASSERT_THAT(nothing, IsOk());
  EXPECT_TRUE(std::signbit(fill(*nothing)));
  const absl::StatusOr<ir::Value> zeros = sums.SumOrZeros(x());
  ASSERT_THAT(zeros, IsOk());
  EXPECT_FALSE(std::signbit(fill(*zeros)));
  EXPECT_EQ(fill(*zeros), 0.0);
}

}  // namespace
}  // namespace switchyard::static_graph
