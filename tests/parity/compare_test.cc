// SPDX-License-Identifier: Apache-2.0
// A result that is a little too far off is found, element by element.
#include "tests/parity/compare.h"

#include <cmath>
#include <limits>
#include <memory>

#include "framework/testing/tensors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

using testing::ElementsAre;

constexpr double kUlps = 4;

// At most kUlps of each magnitude.
Limits LimitsOf(const std::vector<double>& magnitudes) {
  Limits limits{magnitudes, {}};
  for (const double magnitude : magnitudes) {
    limits.distances.push_back(kUlps * Ulp(DataType::kFloat32, magnitude));
  }
  return limits;
}

// Two rows whose largest magnitudes are 1 and 2^-10.
std::vector<float> Rows() {
  return {1.0f, -0x1p-20f, 0.25f, 0x1p-10f, 0x1p-30f, -0x1p-12f};
}
DenseTensor Tensor(const std::vector<float>& values) {
  return MakeTensor<float>({2, 3}, values);
}

// Compares rows with one element `ulps` of its row's largest magnitude off.
Comparison WithFault(size_t element, double ulps) {
  const DenseTensor reference = Tensor(Rows());
  const double unit = element < 3 ? 0x1p-23 : 0x1p-33;
  std::vector<float> values = Rows();
  values[element] += static_cast<float>(ulps * unit);
  return Compare(Tensor(values), reference,
                 LimitsOf(LargestAlong(reference, -1)));
}

TEST(Compare, MeasuresInUlpsOfTheLargestAlongTheAxis) {
  for (size_t element = 0; element < 6; ++element) {
    const Comparison same = WithFault(element, 0);
    EXPECT_TRUE(same.same_meta && same.identical);
    EXPECT_EQ(same.ulps, 0);
    const Comparison within = WithFault(element, 4);
    EXPECT_FALSE(within.identical);
    EXPECT_LE(within.ulps, kUlps);
    EXPECT_EQ(within.outside, 0);
    const Comparison beyond = WithFault(element, 6);
    EXPECT_GT(beyond.ulps, kUlps);
    EXPECT_EQ(beyond.outside, 1);
  }
}

TEST(Compare, ARowIsNotMeasuredByAnother) {
  const DenseTensor reference = Tensor(Rows());
  std::vector<float> values = Rows();
  values[3] += 0x1p-23f;  // 1 ULP of the other row's.
  const Comparison comparison =
      Compare(Tensor(values), reference, LimitsOf(LargestAlong(reference, 1)));
  EXPECT_GT(comparison.ulps, 1000);
  EXPECT_EQ(comparison.outside, 1);
}

TEST(Compare, BitsAreMoreThanValues) {
  const DenseTensor zero = MakeTensor<double>({1}, {0.0});
  const DenseTensor negative = MakeTensor<double>({1}, {-0.0});
  const Comparison comparison = Compare(negative, zero, {});
  EXPECT_FALSE(comparison.identical);
  EXPECT_EQ(comparison.ulps, 0);
  EXPECT_EQ(comparison.outside, 1);
  EXPECT_EQ(Compare(negative, zero, LimitsOf({0})).outside, 0);
}

TEST(Compare, NanAndInfinityAreNearThemselvesAlone) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const auto ulps = [](float result, float reference) {
    return Compare(MakeTensor<float>({1}, {result}),
                   MakeTensor<float>({1}, {reference}), LimitsOf({1}))
        .ulps;
  };
  EXPECT_EQ(ulps(kNan, kNan), 0);
  EXPECT_EQ(ulps(kInf, kInf), 0);
  EXPECT_EQ(ulps(kInf, -kInf), HUGE_VAL);
  EXPECT_EQ(ulps(1, kNan), HUGE_VAL);
  EXPECT_EQ(ulps(kNan, 1), HUGE_VAL);
}

TEST(Compare, IntegersAreTheSameOrNot) {
  const DenseTensor one = MakeTensor<int32_t>({1}, {1});
  EXPECT_TRUE(Compare(one, one, {}).identical);
  const Comparison other = Compare(MakeTensor<int32_t>({1}, {2}), one, {});
  EXPECT_EQ(other.ulps, HUGE_VAL);
  EXPECT_EQ(other.outside, 1);
}

TEST(Compare, MetadataMustBeTheSame) {
  const DenseTensor reference = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
  const DenseTensor flat = MakeTensor<float>({4}, {1, 2, 3, 4});
  const DenseTensor wide = MakeTensor<double>({2, 2}, {1, 2, 3, 4});
  DenseTensor sequences = reference;
  sequences.SetLod(std::make_shared<const LoD>(LoD{{{0, 1, 2}}}));
  for (const DenseTensor& other :
       {flat, wide, sequences, TransposedView(reference, {1, 0})}) {
    const Comparison comparison =
        Compare(other, reference, LimitsOf({4, 4, 4, 4}));
    EXPECT_FALSE(comparison.same_meta);
    EXPECT_EQ(comparison.outside, 4);
  }
}

TEST(BeyondLimits, EveryElementIsOutside) {
  const DenseTensor tensor =
      Tensor({1, -5, HUGE_VALF, 0, 0x1p-140f, 3.4028235e38f});
  int64_t changed = 0;
  const DenseTensor bits = BeyondLimits(tensor, {}, &changed);
  EXPECT_EQ(changed, 6);
  EXPECT_EQ(Compare(bits, tensor, {}).outside, 6);
  const Limits limits = LimitsOf({8, 8, 8, 0, 0x1p-140, 1});
  const DenseTensor far = BeyondLimits(tensor, limits, &changed);
  EXPECT_EQ(changed, 4);  // Neither infinity nor the largest number.
  EXPECT_EQ(Compare(far, tensor, limits).outside, 4);
  EXPECT_LE(Compare(far, tensor, limits).ulps, kUlps + 2);
}

TEST(LargestAlong, FindsItForEachElement) {
  EXPECT_THAT(LargestAlong(Tensor({1, -5, 3, 4, 2, 6}), 1),
              ElementsAre(5, 5, 5, 6, 6, 6));
  EXPECT_THAT(LargestAlong(Tensor({1, -5, 3, 4, 2, 6}), 0),
              ElementsAre(4, 5, 6, 4, 5, 6));
  EXPECT_THAT(LargestAlong(MakeScalarTensor<float>(-3), 0), ElementsAre(3));
  EXPECT_THAT(LargestAlong(Tensor({1, HUGE_VALF, 3, 4, 2, 6}), 1),
              ElementsAre(3, 3, 3, 6, 6, 6));
}

TEST(Ulp, IsTheDistanceToTheNextNumber) {
  EXPECT_EQ(Ulp(DataType::kFloat32, 1.5), std::nextafterf(1.5f, 2) - 1.5f);
  EXPECT_EQ(Ulp(DataType::kFloat64, 8), std::nextafter(8, 9) - 8);
  EXPECT_EQ(Ulp(DataType::kFloat64, 0), 0x1p-1074);
  EXPECT_EQ(Ulp(DataType::kFloat32, 0), 0x1p-149);
  EXPECT_EQ(Ulp(DataType::kFloat16, 1), 0x1p-10);
  EXPECT_EQ(Ulp(DataType::kBFloat16, 2), 0x1p-6);
}

}  // namespace
}  // namespace switchyard
