// SPDX-License-Identifier: Apache-2.0
#include "phi/fluid/execution_context.h"

#include "framework/device/cpu/cpu_context.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gtest/gtest.h"

namespace switchyard::phi::fluid {
namespace {

constexpr LegacySlot kInputs[] = {
    {"X", 1, -1, true}, {"Y", 0, -1, false, true}, {"Old", -1}};
constexpr LegacySlot kOutputs[] = {{"Out", 0}};
constexpr LegacyAttr kAttrs[] = {{"axis", 1, AttrType::kInt},
                                 {"scale", 0, AttrType::kFloat}};
constexpr LegacyForm kForm = {"specimen", nullptr, kInputs, kOutputs,
                              kAttrs,     {},      {},      ""};

class ExecutionContextTest : public ::testing::Test {
 protected:
  const DenseTensor a_ = MakeTensor<float>({1}, {1});
  const DenseTensor b_ = MakeTensor<float>({1}, {2});
  DenseTensor out_ = MakeTensor<float>({1}, {0});
  // Argument 0 (Y) is absent, argument 1 (X) a list of two.
  const TensorBase* inputs_[3] = {nullptr, &a_, &b_};
  TensorBase* outputs_[1] = {&out_};
  const uint16_t begins_[3] = {0, 1, 3};
  const AttrRef attrs_[2] = {0.5f, -1};
  const KernelContext call_{
      CpuContext::kContexts.current(Place::Cpu()),
      {{inputs_, ArgSegments(begins_, 2)}, attrs_, outputs_}};
  const ExecutionContext context_{call_, kForm};
};

TEST_F(ExecutionContextTest, SlotsAreFoundByLegacyName) {
  EXPECT_EQ(context_.Input("Y"), nullptr);
  EXPECT_FALSE(context_.HasInput("Y"));
  const DenseList x = context_.MultiInput("X");
  ASSERT_EQ(x.size(), 2u);
  EXPECT_EQ(&x[0], &a_);
  EXPECT_EQ(&x[1], &b_);
  EXPECT_EQ(context_.Output("Out"), &out_);
  EXPECT_EQ(context_.MultiOutput("Out").size(), 1u);
}

TEST_F(ExecutionContextTest, UnknownSlotsReadAsAbsent) {
  EXPECT_EQ(context_.Input("x"), nullptr);
  EXPECT_EQ(context_.Input("Old"), nullptr);
  EXPECT_EQ(context_.MultiInput("Old").size(), 0u);
  EXPECT_EQ(context_.Output("X"), nullptr);
  EXPECT_EQ(context_.MultiOutput("X").size(), 0u);
}

TEST_F(ExecutionContextTest, AttributesAreFoundByLegacyName) {
  EXPECT_THAT(context_.Attr<int>("axis"), IsOkAndHolds(-1));
  EXPECT_THAT(context_.Attr<float>("scale"), IsOkAndHolds(0.5f));
  EXPECT_THAT(context_.Attr<int>("scale"),
              StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(context_.Attr<int>("Axis"),
              StatusIs(absl::StatusCode::kInternal));
}

}  // namespace
}  // namespace switchyard::phi::fluid
