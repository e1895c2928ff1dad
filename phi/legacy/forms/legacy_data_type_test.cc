// SPDX-License-Identifier: Apache-2.0
#include "phi/legacy/forms/legacy_data_type.h"

#include <set>

#include "gtest/gtest.h"

namespace switchyard::phi {
namespace {

TEST(LegacyDataType, EveryDtypeThatProgramsHaveHasANumber) {
  std::set<DataType> found;
  for (int number = 0; number < 30; ++number) {
    const std::optional<DataType> dtype = DataTypeOfLegacy(number);
    if (!dtype.has_value()) continue;
    EXPECT_TRUE(found.insert(*dtype).second) << Name(*dtype);
  }
  for (int i = 1; i < kNumDataTypes; ++i) {
    const DataType dtype = static_cast<DataType>(i);
    const bool has = dtype <= DataType::kComplex128;
    EXPECT_EQ(found.count(dtype), has) << Name(dtype);
    EXPECT_EQ(LegacyOfDataType(dtype).has_value(), has) << Name(dtype);
  }
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
