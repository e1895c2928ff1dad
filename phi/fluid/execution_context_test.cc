// SPDX-License-Identifier: Apache-2.0
#include "phi/fluid/execution_context.h"

#include "framework/device/cpu/cpu_context.h"
#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gtest/gtest.h"

namespace switchyard::phi::fluid {
namespace {

constexpr LegacySlot kInputs[] = {
    {"X", 1}, {"Y", 0, -1, false, true}, {"Old", -1}};
constexpr LegacySlot kOutputs[] = {{"Out", 0}};
constexpr LegacyAttr kAttrs[] = {{"axis", 1, AttrType::kInt},
                                 {"scale", 0, AttrType::kFloat}};
constexpr LegacyForm kForm = {"specimen", nullptr, kInputs, kOutputs,
                              kAttrs,     {},      {},      ""};

class ExecutionContextTest : public ::testing::Test {
 protected:
  const DenseTensor a_ = MakeTensor<float>({1}, {1});
  DenseTensor out_ = MakeTensor<float>({1}, {0});
  // Argument 0 (Y) is absent.
  const TensorBase* inputs_[2] = {nullptr, &a_};
  TensorBase* outputs_[1] = {&out_};
  const AttrRef attrs_[2] = {0.5f, -1};
  const KernelContext call_{CpuContext::kContexts.current(Place::Cpu()),
                            {inputs_, attrs_, outputs_}};
  const ExecutionContext context_{call_, kForm};
};

TEST_F(ExecutionContextTest, SlotsAreFoundByLegacyName) {
  EXPECT_EQ(context_.Input("Y"), nullptr);
  EXPECT_EQ(context_.Input("X"), &a_);
  EXPECT_EQ(context_.Output("Out"), &out_);
}

TEST_F(ExecutionContextTest, UnknownSlotsReadAsAbsent) {
  EXPECT_EQ(context_.Input("x"), nullptr);
  EXPECT_EQ(context_.Input("Old"), nullptr);
  EXPECT_EQ(context_.Output("X"), nullptr);
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
