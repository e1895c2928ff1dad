// SPDX-License-Identifier: Apache-2.0
#include "framework/types/dim.h"

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kLarge = int64_t{1} << 40;

TEST(DimTest, KindsAndText) {
  EXPECT_TRUE(Dim(0).known());
  EXPECT_EQ(Dim(7).value(), 7);
  EXPECT_FALSE(Dim().known());
  EXPECT_FALSE(Dim().symbolic());
  EXPECT_TRUE(Dim::Symbol(0).symbolic());
  EXPECT_EQ(Dim::Symbol(UINT32_MAX).symbol(), UINT32_MAX);
  EXPECT_EQ(ToString(Dim(7)), "7");
  EXPECT_EQ(ToString(Dim::Unknown()), "?");
  EXPECT_EQ(ToString(Dim::Symbol(3)), "s3");
}

TEST(DimTest, IsOneNumber) {
  EXPECT_EQ(Dim(7).number(), 7);
  EXPECT_EQ(Dim::Unknown().number(), -1);
  for (const Dim dim :
       {Dim(0), Dim::Unknown(), Dim::Symbol(0), Dim::Symbol(5)}) {
    EXPECT_EQ(Dim::FromNumber(dim.number()), dim);
  }
}

TEST(DimTest, EqualityIsOfTheDescription) {
  EXPECT_EQ(Dim::Unknown(), Dim());
  EXPECT_EQ(Dim::Symbol(1), Dim::Symbol(1));
  EXPECT_NE(Dim::Symbol(1), Dim::Symbol(2));
  EXPECT_NE(Dim::Symbol(1), Dim(1));
}

TEST(DimTest, MayEqualIsFalseOnlyForTwoNumbers) {
  EXPECT_TRUE(MayEqual(Dim(2), Dim(2)));
  EXPECT_FALSE(MayEqual(Dim(2), Dim(3)));
  EXPECT_TRUE(MayEqual(Dim(2), Dim()));
  EXPECT_TRUE(MayEqual(Dim::Symbol(1), Dim::Symbol(2)));
}

TEST(DimTest, MultiplyKeepsWhatIsKnown) {
  EXPECT_THAT(Multiply(6, 7), IsOkAndHolds(Dim(42)));
  EXPECT_THAT(Multiply(6, Dim()), IsOkAndHolds(Dim()));
  EXPECT_THAT(Multiply(Dim(), 0), IsOkAndHolds(Dim(0)));
  EXPECT_THAT(Multiply(0, Dim::Symbol(2)), IsOkAndHolds(Dim(0)));
  EXPECT_THAT(Multiply(1, Dim::Symbol(2)), IsOkAndHolds(Dim::Symbol(2)));
  EXPECT_THAT(Multiply(Dim::Symbol(2), 2), IsOkAndHolds(Dim()));
}

TEST(DimTest, AddKeepsWhatIsKnown) {
  EXPECT_THAT(Add(6, 7), IsOkAndHolds(Dim(13)));
  EXPECT_THAT(Add(Dim::Symbol(2), 0), IsOkAndHolds(Dim::Symbol(2)));
  EXPECT_THAT(Add(Dim::Symbol(2), 1), IsOkAndHolds(Dim()));
}

TEST(DimTest, OverflowIsASizeError) {
  EXPECT_THAT(Multiply(kLarge, kLarge),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       "size must be below 2^63, got 1099511627776 * "
                       "1099511627776"));
  EXPECT_THAT(Add(INT64_MAX, 1), StatusIs(absl::StatusCode::kResourceExhausted,
                                          HasSubstr(" + 1")));
}

}  // namespace
}  // namespace switchyard
