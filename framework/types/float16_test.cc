// SPDX-License-Identifier: Apache-2.0
// The oracle: the 65536 values of each type as doubles, by the definition of
// the format; the nearest to a number is found among them by binary search.
#include "framework/types/float16.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace switchyard {
namespace {

struct Format {
  int exponent_bits;
  int fraction_bits;
};
constexpr Format kHalf = {5, 10};
constexpr Format kBrain = {8, 7};

// IEEE 754, section 3.4: the value of an encoding.
double ValueOf(uint16_t bits, Format format) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int exponent =
      bits >> format.fraction_bits & ((1 << format.exponent_bits) - 1);
  const int fraction = bits & ((1 << format.fraction_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << format.exponent_bits) - 1) {
    return fraction != 0 ? NAN : sign * INFINITY;
  }
  const int lead = exponent == 0 ? 0 : 1 << format.fraction_bits;
  return sign * std::ldexp(lead + fraction,
                           std::max(exponent, 1) - bias - format.fraction_bits);
}

class Oracle {
 public:
  explicit Oracle(Format format) {
    const uint16_t infinity = ((1 << format.exponent_bits) - 1)
                              << format.fraction_bits;
    for (uint16_t bits = 0; bits < infinity; ++bits) {
      values_.push_back(ValueOf(bits, format));
    }
    // Where infinity would be, were it a number: overflow rounds by it.
    values_.push_back(2 * values_[infinity - (1 << format.fraction_bits)]);
  }

  // The encoding nearest to a number, ties to the even one.
  uint16_t Nearest(double value) const {
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double size = std::fabs(value);
    const auto above = std::lower_bound(values_.begin(), values_.end(), size);
    if (above == values_.end()) return sign | (values_.size() - 1);
    auto index = static_cast<uint16_t>(above - values_.begin());
    if (index > 0) {
      const double up = *above - size;
      const double down = size - *(above - 1);
      if (down < up || (down == up && index % 2 == 1)) --index;
    }
    return sign | index;
  }

  const std::vector<double>& values() const { return values_; }

 private:
  std::vector<double> values_;
};

template <typename T>
Format FormatOf();
template <>
Format FormatOf<float16>() {
  return kHalf;
}
template <>
Format FormatOf<bfloat16>() {
  return kBrain;
}

template <typename T>
class Float16Test : public ::testing::Test {};
using Types = ::testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(Float16Test, Types);

TYPED_TEST(Float16Test, EveryEncodingHasItsValueAndComesBack) {
  for (int i = 0; i < 65536; ++i) {
    const auto bits = static_cast<uint16_t>(i);
    const auto number = TypeParam::FromBits(bits);
    const float value = number;
    const double expected = ValueOf(bits, FormatOf<TypeParam>());
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << i;
      ASSERT_TRUE(std::isnan(static_cast<float>(TypeParam(value)))) << i;
      ASSERT_EQ(TypeParam(value).bits() & 0x8000, bits & 0x8000) << i;
      continue;
    }
    ASSERT_EQ(value, expected) << i;
    ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << i;
    ASSERT_EQ(TypeParam(value).bits(), bits);
    ASSERT_EQ(TypeParam(static_cast<double>(value)).bits(), bits);
  }
}

// Around each value and each halfway point, where rounding can go wrong.
TYPED_TEST(Float16Test, NeighboursOfEveryValueAndTieRoundToNearestEven) {
  const Oracle oracle(FormatOf<TypeParam>());
  const std::vector<double>& values = oracle.values();
  for (size_t i = 0; i + 1 < values.size(); ++i) {
    for (double point : {values[i], (values[i] + values[i + 1]) / 2}) {
      for (double value : {point, std::nextafter(point, INFINITY),
                           std::nextafter(point, -INFINITY)}) {
        ASSERT_EQ(TypeParam(value).bits(), oracle.Nearest(value)) << value;
        ASSERT_EQ(TypeParam(-value).bits(), oracle.Nearest(-value)) << value;
      }
      const auto single = static_cast<float>(point);
      for (float value : {single, std::nextafter(single, INFINITY),
                          std::nextafter(single, 0.0f)}) {
        ASSERT_EQ(TypeParam(value).bits(), oracle.Nearest(value)) << value;
        ASSERT_EQ(TypeParam(-value).bits(), oracle.Nearest(-value)) << value;
      }
    }
  }
}

TYPED_TEST(Float16Test, RandomFloatsRoundToNearestEven) {
  const Oracle oracle(FormatOf<TypeParam>());
  std::mt19937 random(5);
  for (int i = 0; i < 1000000; ++i) {
    const uint32_t bits = random();
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    if (std::isnan(value)) continue;
    ASSERT_EQ(TypeParam(value).bits(), oracle.Nearest(value)) << value;
  }
}

TYPED_TEST(Float16Test, EndsOfTheRange) {
  using Limits = std::numeric_limits<TypeParam>;
  const float infinity = Limits::infinity();
  EXPECT_EQ(infinity, INFINITY);
  EXPECT_EQ(static_cast<float>(TypeParam(INFINITY)), INFINITY);
  EXPECT_EQ(static_cast<float>(TypeParam(-1e300)), -INFINITY);
  EXPECT_EQ(TypeParam(1e-300).bits(), 0);
  EXPECT_EQ(TypeParam(-1e-300).bits(), 0x8000);
  EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(NAN))));
  EXPECT_TRUE(std::isnan(static_cast<float>(Limits::quiet_NaN())));
  EXPECT_TRUE(std::isnan(static_cast<float>(Limits::signaling_NaN())));
}

TYPED_TEST(Float16Test, LimitsFollowFromTheFormat) {
  using Limits = std::numeric_limits<TypeParam>;
  const Format format = FormatOf<TypeParam>();
  const Oracle oracle(format);
  EXPECT_EQ(float{Limits::max()}, oracle.values()[oracle.values().size() - 2]);
  EXPECT_EQ(float{Limits::lowest()}, -float{Limits::max()});
  EXPECT_EQ(float{Limits::denorm_min()}, oracle.values()[1]);
  EXPECT_EQ(float{Limits::min()}, oracle.values()[1u << format.fraction_bits]);
  EXPECT_EQ(float{Limits::epsilon()}, std::ldexp(1.0, -format.fraction_bits));
  EXPECT_EQ(float{Limits::round_error()}, 0.5f);
  EXPECT_EQ(Limits::digits, format.fraction_bits + 1);
  EXPECT_EQ(std::ldexp(1.0, Limits::min_exponent - 1), float{Limits::min()});
  EXPECT_EQ(Limits::max_exponent, std::ilogb(float{Limits::max()}) + 1);
}

TYPED_TEST(Float16Test, ArithmeticIsFloatsRoundedOnce) {
  const TypeParam a(1.5f);
  TypeParam b(0.1f);
  EXPECT_EQ((a + b).bits(), TypeParam(1.5f + float{b}).bits());
  EXPECT_EQ((a - b).bits(), TypeParam(1.5f - float{b}).bits());
  EXPECT_EQ((a * b).bits(), TypeParam(1.5f * float{b}).bits());
  EXPECT_EQ((a / b).bits(), TypeParam(1.5f / float{b}).bits());
  EXPECT_EQ(float{-a}, -1.5f);
  b += a;
  b -= a;
  b *= a;
  b /= a;
  EXPECT_NEAR(float{b}, 0.1f, 0.01f);
  EXPECT_TRUE(a > b);
  EXPECT_TRUE(a == TypeParam(1.5));
  EXPECT_FALSE(TypeParam(NAN) == TypeParam(NAN));
  EXPECT_TRUE(TypeParam(0.0f) == -TypeParam(0.0f));
  EXPECT_EQ(float{TypeParam(3)}, 3.0f);
  EXPECT_EQ(static_cast<int>(TypeParam(3.5)), 3);
}

// Every finite number but the least one.
template <typename Half>
void CheckNextBelow(Format format) {
  std::vector<double> values;
  for (int bits = 0; bits < 65536; ++bits) {
    const double value = ValueOf(static_cast<uint16_t>(bits), format);
    if (std::isfinite(value)) values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  for (size_t i = 1; i < values.size(); ++i) {
    ASSERT_EQ(double{NextBelow(Half(values[i]))}, values[i - 1]);
  }
  ASSERT_EQ(double{NextBelow(Half(-0.0))}, double{NextBelow(Half(0.0))});
}

TEST(NextBelowTest, IsTheNeighbour) {
  CheckNextBelow<float16>(kHalf);
  CheckNextBelow<bfloat16>(kBrain);
}

#if defined(__FLT16_MAX__) && !defined(__clang__)
// The compiler's own type is a second, independent oracle.
TEST(Float16CompilerTest, AgreesWithTheCompilersType) {
  std::mt19937 random(7);
  for (int i = 0; i < 1000000; ++i) {
    const uint32_t bits = random();
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    if (std::isnan(value)) continue;
    const auto expected = static_cast<_Float16>(value);
    uint16_t expected_bits;
    std::memcpy(&expected_bits, &expected, sizeof(expected_bits));
    ASSERT_EQ(float16(value).bits(), expected_bits) << value;
  }
}
#endif

}  // namespace
}  // namespace switchyard
