// SPDX-License-Identifier: Apache-2.0
#include "phi/promotion/autocast.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace switchyard::phi::promotion {
namespace {

constexpr DataType kNone = DataType::kUndefined;
constexpr DataType kHalf = DataType::kFloat16;
constexpr DataType kBrain = DataType::kBFloat16;
constexpr DataType kFloat = DataType::kFloat32;

DataType Target(AmpRule rule, const std::vector<DataType>& dtypes) {
  OpInfo op{};
  op.traits = static_cast<uint32_t>(rule) << kAmpRuleShift |
              static_cast<uint32_t>(Trait::kExtents);
  std::vector<const DataType*> inputs;
  std::vector<uint16_t> begins = {0};
  for (const DataType& dtype : dtypes) {
    inputs.push_back(&dtype);
    begins.push_back(static_cast<uint16_t>(inputs.size()));
  }
  const ArgList<const DataType* const> list(
      inputs, ArgSegments(begins.data(), static_cast<int>(inputs.size())));
  return AutocastTarget(op, list, [](const DataType* dtype) { return *dtype; });
}

class AutocastTest : public testing::Test {
 protected:
  void SetUp() override { SetAutocastDtype(kBrain); }
  void TearDown() override { SetAutocastDtype(kNone); }
};

TEST_F(AutocastTest, RulesSayTheDtype) {
  EXPECT_EQ(Target(AmpRule::kNone, {kFloat}), kNone);
  EXPECT_EQ(Target(AmpRule::kNarrow, {kFloat, kFloat}), kBrain);
  EXPECT_EQ(Target(AmpRule::kWide, {kBrain}), kFloat);
  EXPECT_EQ(Target(AmpRule::kWidest, {kBrain, kBrain}), kBrain);
  EXPECT_EQ(Target(AmpRule::kWidest, {kBrain, kFloat}), kFloat);
  EXPECT_EQ(Target(AmpRule::kWidest, {kBrain, kHalf}), kFloat);
  EXPECT_EQ(Target(AmpRule::kWidest, {DataType::kInt64}), kNone);
}

TEST_F(AutocastTest, OnlyDtypesUpToFloat32AreConcerned) {
  EXPECT_TRUE(IsAutocast(kHalf) && IsAutocast(kBrain) && IsAutocast(kFloat));
  EXPECT_FALSE(IsAutocast(DataType::kFloat64) || IsAutocast(DataType::kInt64) ||
               IsAutocast(DataType::kComplex64) || IsAutocast(kNone));
}

TEST_F(AutocastTest, NothingHappensWhereItIsOff) {
  {
    const NoAutocastScope off;
    EXPECT_EQ(AutocastDtype(), kNone);
    EXPECT_EQ(Target(AmpRule::kNarrow, {kFloat}), kNone);
  }
  EXPECT_EQ(AutocastDtype(), kBrain);
  DataType other = kBrain;
  std::thread([&] { other = AutocastDtype(); }).join();
  EXPECT_EQ(other, kNone);
}

TEST(AmpRuleOf, TraitsLeaveItsBitsAlone) {
  OpInfo op{};
  op.traits = (1u << kAmpRuleShift) - 1;
  EXPECT_EQ(AmpRuleOf(op), AmpRule::kNone);
  // The last trait of phi/core/op_info.h.
  EXPECT_LT(static_cast<uint32_t>(Trait::kExtents), 1u << kAmpRuleShift);
}

}  // namespace
}  // namespace switchyard::phi::promotion
