// SPDX-License-Identifier: Apache-2.0
#include "phi/promotion/op_promotion.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace switchyard::phi::promotion {
namespace {

constexpr std::array<InputInfo, 3> kInputs = {
    {{"condition"}, {"x", false, true}, {"y", true}}};

OpInfo Info(uint32_t promoted, bool integer_to_float = false) {
  OpInfo op{};
  op.name = "pick";
  op.inputs = kInputs;
  op.promotion = {promoted, integer_to_float};
  return op;
}

TensorSpec Meta(DataType dtype, const Shape& shape) {
  TensorSpec meta;
  meta.dtype = dtype;
  meta.shape = shape;
  return meta;
}

class PromotedDtypeTest : public testing::Test {
 protected:
  // condition is bool, x a list of two, y optional.
  absl::StatusOr<DataType> Ask(const OpInfo& op, const TensorSpec& x0,
                               const TensorSpec& x1, const TensorSpec* y) {
    const TensorSpec* const inputs[] = {&condition_, &x0, &x1, y};
    const uint16_t begins[] = {0, 1, 3, 4};
    return PromotedDtype(op, {inputs, ArgSegments(begins, 3)});
  }

  const TensorSpec condition_ = Meta(DataType::kBool, {2});
  const TensorSpec float32_ = Meta(DataType::kFloat32, {2});
  const TensorSpec float64_ = Meta(DataType::kFloat64, {2});
  const TensorSpec int32_ = Meta(DataType::kInt32, {2});
  const TensorSpec scalar_ = Meta(DataType::kFloat64, {});
};

TEST_F(PromotedDtypeTest, NothingToDoWithoutARuleOrForEqualDtypes) {
  EXPECT_EQ(*Ask(Info(0), float32_, int32_, nullptr), DataType::kUndefined);
  EXPECT_EQ(*Ask(Info(0b110), float32_, float32_, &float32_),
            DataType::kUndefined);
}

TEST_F(PromotedDtypeTest, ListsAndOptionalInputsCount) {
  EXPECT_EQ(*Ask(Info(0b110), float32_, float64_, nullptr), DataType::kFloat64);
  EXPECT_EQ(*Ask(Info(0b110), float32_, float32_, &float64_),
            DataType::kFloat64);
  EXPECT_EQ(*Ask(Info(0b110), float32_, scalar_, &float32_),
            DataType::kFloat32);
}

TEST_F(PromotedDtypeTest, IntegersBecomeFloatWhereTheRuleSaysSo) {
  EXPECT_EQ(*Ask(Info(0b110, true), int32_, int32_, nullptr),
            DataType::kFloat32);
  EXPECT_EQ(*Ask(Info(0b110), int32_, int32_, nullptr), DataType::kUndefined);
}

TEST_F(PromotedDtypeTest, AMixThatIsNotAllowedIsATypeError) {
  const auto result = Ask(Info(0b110), float32_, float32_, &int32_);
  EXPECT_TRUE(IsTypeError(result.status()));
  EXPECT_EQ(std::string(result.status().message()),
            "y must be floating (x is float32), got int32");
}

}  // namespace
}  // namespace switchyard::phi::promotion
