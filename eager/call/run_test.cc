// SPDX-License-Identifier: Apache-2.0
#include "eager/call/run.h"

#include <cstring>
#include <vector>

#include "eager/autograd/engine.h"
#include "eager/autograd/grad_mode.h"
#include "eager/call/composite_ops.h"
#include "eager/testing/toy_ops.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gtest/gtest.h"

namespace switchyard::eager {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using toy::Add;
using toy::Call;
using toy::Constant;
using toy::Leaf;
using toy::Multiply;
using toy::Relu;
using toy::Reshape;
using toy::Scale;
using toy::Split;
using toy::Sum;
using toy::Values;

constexpr auto kPrecondition = absl::StatusCode::kFailedPrecondition;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(RunTest, ErrorsNameTheOperatorAndLeaveOutputsAlone) {
  const Tensor x = Constant({2}, {1, 2}), y = Constant({3}, {1, 2, 3});
  Tensor out = x;
  EXPECT_THAT(eager::Run(toy::add, {&x, &y}, {}, absl::MakeSpan(&out, 1)),
              StatusIs(kInvalid, HasSubstr("add: ")));
  EXPECT_EQ(out, x);
}

TEST(RunTest, AbsentInputOfAnOperatorIsAnError) {
  const Tensor x = Constant({1}, {1}), none;
  EXPECT_THAT(Call(toy::add, {&x, &none}),
              StatusIs(kInvalid, HasSubstr("add: y must be")));
  EXPECT_THAT(Call(toy::add, {&x, nullptr}),
              StatusIs(kInvalid, HasSubstr("add: y must be")));
  const EagerOp& composite = *toy::multiply.backward;
  const Tensor* const inputs[] = {&x, nullptr, &x};
  Tensor outputs[2];
  EXPECT_THAT(eager::Run(composite, inputs, {}, absl::MakeSpan(outputs)),
              StatusIs(kInvalid, "multiply_grad: y must be given, got none"));
}

TEST(CompositeTest, InferMetaRefusesFirst) {
  static bool ran;
  ran = false;
  EagerOp op{toy::multiply.backward->info};
  op.composite = [](const CompositeArgs&) {
    ran = true;
    return absl::OkStatus();
  };
  const Tensor x = Constant({2}, {1, 2}), scalar = Constant({}, {1});
  const Tensor* const inputs[] = {&x, &x, &scalar};
  Tensor outputs[2];
  EXPECT_THAT(eager::Run(op, inputs, {}, absl::MakeSpan(outputs)),
              StatusIs(kInvalid,
                       "multiply_grad: out_grad must be of shape [2], got []"));
  EXPECT_FALSE(ran);
}

TEST(CompositeTest, ResultMustBeWhatInferMetaSays) {
  const Tensor x = Constant({2}, {1, 2});
  const auto run = [&](CompositeFunction composite) {
    EagerOp op{toy::relu.backward->info};
    op.composite = composite;
    Tensor out;
    return eager::Run(op, {&x, &x}, {}, absl::MakeSpan(&out, 1));
  };
  constexpr auto kInternal = absl::StatusCode::kInternal;
  EXPECT_THAT(run([](const CompositeArgs& call) {
                call.outputs.one(0) = Constant({3}, {1, 2, 3});
                return absl::OkStatus();
              }),
              StatusIs(kInternal,
                       "relu_grad: its composite: x_grad must be float64[2] "
                       "as InferMeta says, got float64[3]"));
  EXPECT_THAT(run([](const CompositeArgs& call) {
                call.outputs.one(0) = Tensor(MakeTensor<float>({2}, {1, 2}));
                return absl::OkStatus();
              }),
              StatusIs(kInternal, HasSubstr("got float32[2]")));
  EXPECT_THAT(run([](const CompositeArgs&) { return absl::OkStatus(); }),
              StatusIs(kInternal, HasSubstr("got none")));
}

TEST(RunTest, RequiresGradIfADifferentiableInputDoes) {
  const Tensor x = Leaf({1}, {1}), c = Constant({1}, {2});
  EXPECT_TRUE(Add(c, x).requires_grad());
  EXPECT_FALSE(Add(x, c).is_leaf());
  EXPECT_FALSE(Add(c, c).requires_grad());
  EXPECT_TRUE(Add(c, c).is_leaf());
}

TEST(RunTest, ListOutputsOfUnknownNumber) {
  const Tensor x = Constant({3}, {1, 2, 3});
  const std::vector<Tensor> parts = Split(x, {1, 2});
  EXPECT_THAT(Values(parts[1]), ElementsAre(2, 3));
}

TEST(PromotionTest, CastOfAnInputWithAGradientIsRecorded) {
  Tensor x(MakeTensor<float>({2}, {1, 2}));
  ASSERT_THAT(x.set_requires_grad(true), IsOk());
  const Tensor y = Leaf({2}, {3, 5});
  const Tensor out = Multiply(x, y);
  EXPECT_EQ(out.dtype(), DataType::kFloat64);
  ASSERT_THAT(Backward({Sum(out)}), IsOk());
  EXPECT_EQ(x.grad().dtype(), DataType::kFloat32);
  EXPECT_THAT(ToVector<float>(x.grad().dense()), ElementsAre(3, 5));
  EXPECT_THAT(Values(y.grad()), ElementsAre(1, 2));
}

TEST(PromotionTest, WhatIsSavedHasThePromotedDtype) {
  const Tensor x(MakeTensor<float>({2}, {1, 2}));
  const Tensor y = Leaf({2}, {3, 5});
  const Tensor out = Multiply(x, y);
  ASSERT_THAT(Backward({Sum(out)}), IsOk());
  EXPECT_THAT(Values(y.grad()), ElementsAre(1, 2));
}

TEST(PromotionTest, MixThatIsRefusedNamesTheOperator) {
  const Tensor x = Leaf({2}, {1, 2});
  const Tensor i(MakeTensor<int64_t>({2}, {1, 2}));
  const auto out = Call(toy::multiply, {&x, &i});
  EXPECT_THAT(out, StatusIs(kInvalid, HasSubstr("multiply: ")));
  EXPECT_TRUE(IsTypeError(out.status()));
}

// The state that an illegal in-place call must leave as it was.
struct Snapshot {
  explicit Snapshot(const Tensor& tensor)
      : values(Values(tensor)),
        version(tensor.version()),
        node(tensor.grad_node()) {}
  friend bool operator==(const Snapshot& a, const Snapshot& b) {
    return a.values == b.values && a.version == b.version && a.node == b.node;
  }
  std::vector<double> values;
  uint32_t version;
  const GradNode* node;
};

void ExpectRefused(const EagerOp& op, const Tensor& x, const Tensor& y,
                   absl::StatusCode code, const char* message) {
  const Snapshot x_before(x), y_before(y);
  EXPECT_THAT(Call(op, {&x, &y}), StatusIs(code, HasSubstr(message)));
  EXPECT_TRUE(Snapshot(x) == x_before);
  EXPECT_TRUE(Snapshot(y) == y_before);
}

TEST(InplaceTest, WritesTheSameTensorAndMovesTheVersion) {
  const Tensor x = Constant({2}, {1, 2}), y = Constant({2}, {10, 20});
  const uint32_t version = x.version();
  const auto out = Call(toy::add_, {&x, &y});
  ASSERT_THAT(out, IsOk());
  EXPECT_EQ(*out, x);
  EXPECT_EQ(x.version(), version + 1);
  EXPECT_THAT(Values(x), ElementsAre(11, 22));
}

TEST(InplaceTest, OnAComputedTensorIsRecorded) {
  const Tensor x = Leaf({2}, {1, -2});
  const Tensor h = Scale(x, 3);
  ASSERT_THAT(Call(toy::relu_, {&h}), IsOk());
  ASSERT_THAT(Backward({Sum(h)}), IsOk());
  EXPECT_THAT(Values(x.grad()), ElementsAre(3, 0));
}

TEST(InplaceTest, MakesAConstantPartOfTheGraph) {
  const Tensor x = Leaf({2}, {1, 2}), buffer = Constant({2}, {0, 0});
  ASSERT_THAT(Call(toy::add_, {&buffer, &x}), IsOk());
  EXPECT_TRUE(buffer.requires_grad());
  ASSERT_THAT(Backward({Sum(Scale(buffer, 4))}), IsOk());
  EXPECT_THAT(Values(x.grad()), ElementsAre(4, 4));
}

TEST(InplaceTest, TakesAlongThatTheGradientIsKept) {
  const Tensor x = Leaf({1}, {1});
  Tensor h = Scale(x, 3);
  ASSERT_THAT(h.RetainGrad(), IsOk());
  ASSERT_THAT(Call(toy::add_, {&h, &x}), IsOk());
  ASSERT_THAT(Backward({Scale(h, 5)}), IsOk());
  EXPECT_THAT(Values(h.grad()), ElementsAre(5));
  EXPECT_THAT(Values(x.grad()), ElementsAre(20));
}

TEST(InplaceTest, LeafThatRequiresGradIsRefused) {
  const Tensor x = Leaf({2}, {1, 2}), y = Constant({2}, {3, 4});
  ExpectRefused(toy::add_, x, y, kPrecondition, "add: x must be");
  NoGradGuard no_grad;
  EXPECT_THAT(Call(toy::add_, {&x, &y}), IsOk());
  EXPECT_THAT(Values(x), ElementsAre(4, 6));
}

TEST(InplaceTest, ViewOfALeafIsRefused) {
  const Tensor x = Leaf({2}, {1, 2}), y = Constant({2, 1}, {3, 4});
  const Tensor view = Reshape(x, {2, 1});
  ExpectRefused(toy::add_, view, y, kPrecondition, "a view of a leaf");
  NoGradGuard no_grad;
  const Tensor plain_view = Reshape(x, {2, 1});
  GradModeGuard grad(GradMode::kOn);
  ExpectRefused(toy::add_, plain_view, y, kPrecondition, "a view of a leaf");
}

TEST(InplaceTest, ViewWhoseBaseIsGoneIsAccepted) {
  const Tensor x = Leaf({2}, {1, -2});
  const Tensor view = Reshape(Scale(x, 2), {2, 1});
  ASSERT_THAT(Call(toy::relu_, {&view}), IsOk());
  ASSERT_THAT(Backward({Sum(view)}), IsOk());
  EXPECT_THAT(Values(x.grad()), ElementsAre(2, 0));
}

TEST(InplaceTest, ConstantViewsMayBeWritten) {
  const Tensor base = Constant({2}, {1, 2}), y = Constant({1}, {10});
  const std::vector<Tensor> parts = Split(base, {1, 1});
  ASSERT_THAT(Call(toy::add_, {&parts[1], &y}), IsOk());
  EXPECT_THAT(Values(base), ElementsAre(1, 12));
  EXPECT_EQ(base.version(), parts[0].version());
}

TEST(InplaceTest, AnotherShapeDtypeOrStridesAreRefused) {
  const Tensor row = Constant({2}, {1, 2});
  const Tensor matrix = Constant({2, 2}, {1, 2, 3, 4});
  ExpectRefused(toy::add_, row, matrix, kInvalid, "add: ");
  Tensor single(MakeTensor<float>({2}, {1, 2}));
  EXPECT_THAT(Call(toy::add_, {&single, &row}),
              StatusIs(kInvalid,
                       "add: x must be float64 to be written in "
                       "place, got float32"));
  EXPECT_THAT(ToVector<float>(single.dense()), ElementsAre(1, 2));
}

TEST(InplaceTest, OperatorWithoutGradientIsRefusedInTheGraph) {
  const Tensor h = Scale(Leaf({2}, {1, 2}), 2);
  EXPECT_THAT(
      Call(toy::sign_, {&h}),
      StatusIs(kPrecondition, HasSubstr("sign: x cannot be written in place")));
  EXPECT_THAT(Values(h), ElementsAre(2, 4));
}

TEST(VersionTest, StaleSavedTensorNamesOperatorArgumentAndVersions) {
  const Tensor x = Leaf({1}, {3}), one = Constant({1}, {1});
  const Tensor h = Scale(x, 2);
  const Tensor y = Multiply(h, h);
  ASSERT_THAT(Call(toy::add_, {&h, &one}), IsOk());
  EXPECT_THAT(Backward({y}),
              StatusIs(kPrecondition,
                       HasSubstr("multiply: x must be at version 0 (as saved "
                                 "for the gradient), got version 1")));
}

TEST(VersionTest, WriteThroughADetachedTensorIsNoticed) {
  const Tensor x = Leaf({1}, {3}), one = Constant({1}, {1});
  const Tensor y = Multiply(x, x);
  const Tensor detached = x.detach();
  ASSERT_THAT(Call(toy::add_, {&detached, &one}), IsOk());
  EXPECT_EQ(x.version(), 1u);
  EXPECT_THAT(Backward({y}), StatusIs(kPrecondition));
}

TEST(VersionTest, MetadataOnlyIsNeverStale) {
  const Tensor x = Leaf({1}, {3}), one = Constant({1}, {1});
  const Tensor h = Scale(x, 2);
  const Tensor y = Add(h, one);  // Saves shapes alone.
  ASSERT_THAT(Call(toy::add_, {&h, &one}), IsOk());
  ASSERT_THAT(Backward({y}), IsOk());
  EXPECT_THAT(Values(x.grad()), ElementsAre(2));
}

TEST(ViewTest, SharesBufferAndVersion) {
  const Tensor x = Leaf({2, 2}, {1, 2, 3, 4});
  const Tensor view = Reshape(x, {4});
  EXPECT_EQ(view.dense().buffer(), x.dense().buffer());
  ASSERT_THAT(Backward({Sum(Multiply(view, view))}), IsOk());
  EXPECT_THAT(Values(x.grad()), ElementsAre(2, 4, 6, 8));
}

}  // namespace
}  // namespace switchyard::eager
