// SPDX-License-Identifier: Apache-2.0
#include "static_graph/dialect/op_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/testing/matchers.h"
#include "static_graph/dialect/kernel_attributes.h"
#include "static_graph/dialect/testing/toy_operators.h"
#include "static_graph/ir/program.h"

namespace switchyard::static_graph {
namespace {

using testing::ToyContext;
using testing::ToyOp;

// Makes the protected members of generated classes public.
struct View : OpView {
  using OpView::BuildCall;
  using OpView::MatchAs;
  using OpView::ReadAs;
};

constexpr ViewedOp kAdd = {"add", 2, 0, 1};
constexpr ViewedOp kRelu = {"relu", 1, 0, 1};
constexpr ViewedOp kSized = {"sized", 1, 1, 1};

class OpViewTest : public ::testing::Test {
 protected:
  ir::Value Feed(const char* name, DataType dtype, const Shape& shape) {
    return program_.AddFeed(name, context_->GetTensorType(dtype, shape));
  }

  std::unique_ptr<ir::Context> context_ = ToyContext();
  ir::Program program_{context_.get(), "p"};
  ir::Builder builder_{context_.get(), &program_.entry()};
};

TEST_F(OpViewTest, ViewsAreCallsOfTheirOperator) {
  const ir::Value x = Feed("x", DataType::kFloat32, {2});
  const ir::Value sum = *BuildOp(builder_, ToyOp("add"), {x, x});
  EXPECT_THAT(View::ReadAs(*sum.defining_op(), kRelu),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "operation must be a call of relu, got add"));
  EXPECT_THAT(View::ReadAs(*program_.op(), kRelu),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "operation must be a call of relu, got another "
                       "operation"));
  EXPECT_THAT(ReadCall(*program_.op()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "builtin.program is not a call of an operator"));
  const auto nothing =
      phi::ArgBuffer<ir::Value>::Of(absl::Span<const ir::Value>(), x);
  EXPECT_THAT(View::BuildCall(builder_, {"sum_all_grad", 2, 0, 1}, nothing, {}),
              StatusIs(absl::StatusCode::kInternal,
                       "sum_all_grad: a call must have a result, got none"));
}

TEST_F(OpViewTest, ViewsFindTheirOperatorInTheContext) {
  ir::Context bare;
  ir::Program program(&bare, "p");
  ir::Builder builder(&bare, &program.entry());
  const ir::Value x =
      program.AddFeed("x", bare.GetTensorType(DataType::kFloat32, {2}));
  const auto inputs = phi::ArgBuffer<ir::Value>::Of(x);
  EXPECT_THAT(View::BuildCall(builder, kRelu, inputs, {}),
              StatusIs(absl::StatusCode::kNotFound,
                       "relu: the operator is not registered with the "
                       "context"));
  // Another operator has the name.
  EXPECT_THAT(View::BuildCall(builder_, {"relu", 1, 1, 1}, inputs, {}),
              StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(OpViewTest, AMatchIsACallThatARewriteMayReplace) {
  const ir::Value x = Feed("x", DataType::kFloat32, {2});
  const ir::Value y = Feed("y", DataType::kFloat32, {2});
  ir::Operation* const sum =
      BuildOp(builder_, ToyOp("add"), {x, y})->defining_op();
  const std::optional<OpCall> call = View::MatchAs(*sum, kAdd);
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(call->inputs.one(1), y);
  EXPECT_FALSE(View::MatchAs(*sum, kRelu).has_value());
  EXPECT_FALSE(View::MatchAs(*sum, {"ad", 2, 0, 1}).has_value());
  EXPECT_FALSE(View::MatchAs(*sum, {"add", 2, 1, 1}).has_value());
  EXPECT_FALSE(View::MatchAs(*program_.op(), kAdd).has_value());
  // It shall run on a place of its own.
  sum->SetAttribute(context_->GetString(kOpDeviceAttr),
                    context_->GetAttribute(AttrRef(std::string_view("cpu"))));
  EXPECT_FALSE(View::MatchAs(*sum, kAdd).has_value());
}

TEST_F(OpViewTest, SuppliedAttributesAreNoAttributes) {
  const ir::Value x = Feed("x", DataType::kFloat32, {2});
  const ir::Value n = Feed("n", DataType::kInt64, {1});
  const SuppliedAttr supplied[] = {{0, {n}}};
  BuildOpOptions options;
  options.supplied = supplied;
  std::vector<ir::Value> results;
  ASSERT_THAT(BuildOp(builder_, ToyOp("sized"), {x}, {}, &results, options),
              IsOk());
  const ir::Operation* const op = results[0].defining_op();
  EXPECT_THAT(View::ReadAs(*op, kSized),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "shape must be an attribute of the operation, got a "
                       "value's elements"));
  EXPECT_FALSE(View::MatchAs(*op, kSized).has_value());
}

TEST_F(OpViewTest, ViewsOfACallOfAnotherOperatorAreAsItWasAskedFor) {
  const ir::Value x = Feed("x", DataType::kFloat32, {2});
  const auto inputs = phi::ArgBuffer<ir::Value>::Of(x);
  const absl::StatusOr<OpCall> call =
      View::BuildCall(builder_, {"twice", 1, 0, 1}, inputs, {});
  ASSERT_THAT(call, IsOk());
  EXPECT_EQ(call->op, &ToyOp("twice"));
  EXPECT_EQ(call->inputs.vector(0), std::vector<ir::Value>{x});
  ASSERT_EQ(call->outputs.size(), 1u);
  EXPECT_EQ(call->outputs[0].defining_op()->name(), "op.add");
}

}  // namespace
}  // namespace switchyard::static_graph
