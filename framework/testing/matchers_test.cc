// SPDX-License-Identifier: Apache-2.0
#include "framework/testing/matchers.h"

#include <cmath>

#include "framework/testing/tensors.h"
#include "framework/types/float16.h"
#include "gtest/gtest-spi.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(StatusMatchersTest, TellOkFromErrors) {
  const absl::StatusOr<int> value = 3;
  const absl::StatusOr<int> error = absl::OutOfRangeError("axis is wrong");
  EXPECT_THAT(absl::OkStatus(), IsOk());
  EXPECT_THAT(value, IsOk());
  EXPECT_THAT(error, Not(IsOk()));
  EXPECT_THAT(value, IsOkAndHolds(3));
  EXPECT_THAT(value, IsOkAndHolds(Gt(2)));
  EXPECT_THAT(value, Not(IsOkAndHolds(4)));
  EXPECT_THAT(error, Not(IsOkAndHolds(3)));
  EXPECT_THAT(error, StatusIs(absl::StatusCode::kOutOfRange));
  EXPECT_THAT(error.status(),
              StatusIs(absl::StatusCode::kOutOfRange, "axis is wrong"));
  EXPECT_THAT(error,
              Not(StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("dim"))));
  EXPECT_THAT(error, Not(StatusIs(absl::StatusCode::kInternal)));
}

TEST(StatusMatchersTest, SayWhatIsExpectedAndWhatIsThere) {
  const auto error = [] {
    return absl::StatusOr<int>(absl::OutOfRangeError("axis is wrong"));
  };
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(error(), IsOk()),
                          "Value of: error()\nExpected: is OK\n");
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(error(), IsOk()),
                          "OUT_OF_RANGE: axis is wrong");
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(error(),
                  StatusIs(absl::StatusCode::kInternal, HasSubstr("dim"))),
      "Expected: has the status code INTERNAL and a message that has "
      "substring \"dim\"");
  EXPECT_NONFATAL_FAILURE(
      EXPECT_THAT(error(), Not(StatusIs(absl::StatusCode::kOutOfRange,
                                        HasSubstr("axis")))),
      "Expected: has another status code than OUT_OF_RANGE, or a message that "
      "has no substring \"axis\"");
  EXPECT_NONFATAL_FAILURE(EXPECT_THAT(absl::OkStatus(), Not(IsOk())),
                          "Expected: is an error");
}

TEST(UlpDistanceTest, CountsRepresentableNumbers) {
  EXPECT_EQ(UlpDistance(1.0f, 1.0f), 0);
  EXPECT_EQ(UlpDistance(1.0f, std::nextafter(1.0f, 2.0f)), 1);
  EXPECT_EQ(UlpDistance(0.0f, -0.0f), 0);
  EXPECT_EQ(
      UlpDistance(-std::nextafter(0.0f, 1.0f), std::nextafter(0.0f, 1.0f)), 2);
  EXPECT_EQ(UlpDistance(NAN, NAN), 0);
  EXPECT_EQ(UlpDistance(NAN, 1.0f), INT64_MAX);
  EXPECT_EQ(UlpDistance(1e308, -1e308), INT64_MAX);
}

TEST(TensorMatchersTest, EqualTensorsAreNear) {
  const DenseTensor a = MakeTensor<float>({2}, {1, NAN});
  EXPECT_TRUE(TensorsNear(a, MakeTensor<float>({2}, {1, NAN})));
  EXPECT_THAT(a, TensorNear(MakeTensor<float>({2}, {1, NAN}), Ulps(0)));
  EXPECT_TRUE(TensorsNear(MakeTensor<float>({1}, {-0.0f}),
                          MakeTensor<float>({1}, {0.0f})));
  EXPECT_FALSE(TensorsIdentical(MakeTensor<float>({1}, {-0.0f}),
                                MakeTensor<float>({1}, {0.0f})));
}

TEST(TensorMatchersTest, TolerancesLetThrough) {
  const DenseTensor one = MakeTensor<float>({1}, {1.0f});
  const DenseTensor above =
      MakeTensor<float>({1}, {std::nextafter(1.0f, 2.0f)});
  EXPECT_THAT(above, Not(TensorNear(one, Ulps(0))));
  EXPECT_THAT(above, TensorNear(one, Ulps(1)));
  EXPECT_THAT(above, TensorNear(one, Within(1e-6)));
  EXPECT_THAT(above, TensorNear(one, Within(0, 1e-6)));
  const DenseTensor infinite = MakeTensor<float>({1}, {INFINITY});
  EXPECT_THAT(one, Not(TensorNear(infinite, Within(1e30, 1e30))));
  EXPECT_THAT(infinite, TensorNear(infinite, Within(0)));
}

TEST(TensorMatchersTest, HalvesCountTheirOwnUlps) {
  const DenseTensor one = MakeTensorOf(DataType::kFloat16, {1}, {1.0});
  const DenseTensor above =
      MakeTensor<float16>({1}, {float16::FromBits(0x3c02)});
  EXPECT_TRUE(TensorsNear(above, one, Ulps(2)));
  EXPECT_FALSE(TensorsNear(above, one, Ulps(1)));
}

TEST(TensorMatchersTest, IntegersAreComparedExactly) {
  constexpr int64_t kLarge = (int64_t{1} << 62) + 1;
  EXPECT_FALSE(TensorsNear(MakeTensor<int64_t>({1}, {kLarge}),
                           MakeTensor<int64_t>({1}, {kLarge + 1})));
  EXPECT_TRUE(TensorsNear(MakeTensor<int32_t>({1}, {5}),
                          MakeTensor<int32_t>({1}, {6}), Within(1)));
}

TEST(TensorMatchersTest, FailuresNameTheFirstWrongElement) {
  const DenseTensor a = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
  const DenseTensor b = MakeTensor<float>({2, 2}, {1, 2, 5, 6});
  EXPECT_STREQ(TensorsNear(a, b).message(),
               "2 of 4 elements differ, first [1, 0]: 3.0, expected 5.0");
  EXPECT_STREQ(TensorsNear(a, MakeTensor<float>({4}, {1, 2, 3, 4})).message(),
               "is float32[2, 2] on cpu, not float32[4] on cpu");
  EXPECT_FALSE(TensorsIdentical(a, DenseTensor()));
}

TEST(TensorMatchersTest, StridesMayDiffer) {
  const DenseTensor a = MakeTensor<int32_t>({2, 2}, {1, 2, 3, 4});
  const DenseTensor b = MakeTensor<int32_t>({2, 2}, {1, 3, 2, 4});
  EXPECT_THAT(TransposedView(a, {1, 0}), TensorIdentical(b));
}

}  // namespace
}  // namespace switchyard
