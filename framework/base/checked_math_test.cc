// SPDX-License-Identifier: Apache-2.0
#include "framework/base/checked_math.h"

#include "gtest/gtest.h"

namespace switchyard {
namespace {

constexpr int64_t kMax = INT64_MAX;
constexpr int64_t kMin = INT64_MIN;

TEST(CheckedMathTest, ResultsThatFit) {
  static_assert(*CheckedMultiply(6, -7) == -42);
  EXPECT_EQ(CheckedMultiply(kMax, 1), kMax);
  EXPECT_EQ(CheckedMultiply(int64_t{1} << 31, int64_t{1} << 31),
            int64_t{1} << 62);
  EXPECT_EQ(CheckedAdd(kMax - 1, 1), kMax);
  EXPECT_EQ(CheckedAdd(kMax, kMin), -1);
}

TEST(CheckedMathTest, ResultsThatLeaveInt64) {
  EXPECT_EQ(CheckedMultiply(int64_t{1} << 40, int64_t{1} << 40), std::nullopt);
  EXPECT_EQ(CheckedMultiply(kMin, -1), std::nullopt);
  EXPECT_EQ(CheckedAdd(kMax, 1), std::nullopt);
}

}  // namespace
}  // namespace switchyard
