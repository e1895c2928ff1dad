// SPDX-License-Identifier: Apache-2.0
#include "phi/legacy/legacy_data_type.h"

#include "gtest/gtest.h"

namespace switchyard::phi {
namespace {

TEST(LegacyDataType, EveryDtypeOfOursHasANumber) {
  for (int i = 1; i < kNumDataTypes; ++i) {
    const DataType dtype = static_cast<DataType>(i);
    const std::optional<int> number = LegacyOfDataType(dtype);
    ASSERT_TRUE(number.has_value()) << Name(dtype);
    EXPECT_EQ(DataTypeOfLegacy(*number), dtype);
  }
  EXPECT_EQ(LegacyOfDataType(DataType::kUndefined), std::nullopt);
}

TEST(LegacyDataType, NumbersOfTheProgramFormat) {
  EXPECT_EQ(DataTypeOfLegacy(5), DataType::kFloat32);
  EXPECT_EQ(DataTypeOfLegacy(3), DataType::kInt64);
  // A dense tensor is a kind of variable there, not an element type.
  EXPECT_EQ(DataTypeOfLegacy(7), std::nullopt);
  EXPECT_EQ(DataTypeOfLegacy(-1), std::nullopt);
}

}  // namespace
}  // namespace switchyard::phi
