// SPDX-License-Identifier: Apache-2.0
#include "framework/types/scalar.h"

#include <cmath>

#include "framework/types/float16.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(ScalarTest, KeepsItsKind) {
  EXPECT_TRUE(Scalar(true).is_bool());
  EXPECT_TRUE(Scalar(3).is_int());
  EXPECT_TRUE(Scalar(int64_t{3}).is_int());
  EXPECT_TRUE(Scalar(3.0f).is_float());
  EXPECT_EQ(Scalar(3), Scalar(int64_t{3}));
  EXPECT_FALSE(Scalar(3) == Scalar(3.0));
  EXPECT_FALSE(Scalar(true) == Scalar(1));
}

TEST(ScalarTest, ConvertsAsCppDoes) {
  EXPECT_EQ(Scalar(2.9).to<int>(), 2);
  EXPECT_EQ(Scalar(-2.9).to<int64_t>(), -2);
  EXPECT_EQ(Scalar(300).to<uint8_t>(), 44);
  EXPECT_EQ(Scalar(true).to<float>(), 1.0f);
  EXPECT_EQ(Scalar(0.5).to<bool>(), true);
  EXPECT_EQ(Scalar(0).to<bool>(), false);
  EXPECT_EQ(Scalar(0.1).to<float>(), 0.1f);
  EXPECT_EQ(Scalar(int64_t{1} << 53).ToDouble(), 0x1p53);
  EXPECT_EQ(Scalar(1.5).to<float16>().bits(), 0x3e00);
  EXPECT_EQ(Scalar(7).to<bfloat16>().bits(), 0x40e0);
}

TEST(ScalarTest, FloatingNumbersSaturateAtIntegers) {
  EXPECT_EQ(Scalar(300.0).to<uint8_t>(), 255);
  EXPECT_EQ(Scalar(-1.0).to<uint8_t>(), 0);
  EXPECT_EQ(Scalar(255.9).to<uint8_t>(), 255);
  EXPECT_EQ(Scalar(-129.0).to<int8_t>(), -128);
  EXPECT_EQ(Scalar(-128.5).to<int8_t>(), -128);
  EXPECT_EQ(Scalar(1e300).ToInt64(), INT64_MAX);
  EXPECT_EQ(Scalar(0x1p63).ToInt64(), INT64_MAX);
  EXPECT_EQ(Scalar(-0x1p63).ToInt64(), INT64_MIN);
  EXPECT_EQ(Scalar(std::nextafter(0x1p63, 0)).ToInt64(), INT64_MAX - 1023);
  EXPECT_EQ(Scalar(-INFINITY).to<int>(), INT32_MIN);
  EXPECT_EQ(Scalar(NAN).to<int>(), 0);
  EXPECT_EQ(Scalar(1e300).to<float>(), INFINITY);
}

TEST(ScalarTest, ComplexNumbersHaveTwoParts) {
  const Scalar z(std::complex<double>(2.5, -1));
  EXPECT_TRUE(z.is_complex());
  EXPECT_FALSE(z.is_float());
  EXPECT_EQ(z.to<std::complex<float>>(), std::complex<float>(2.5f, -1));
  EXPECT_EQ(z.Conjugate(), Scalar(std::complex<double>(2.5, 1)));
  EXPECT_EQ(z.to<double>(), 2.5);
  EXPECT_EQ(z.to<int>(), 2);
  EXPECT_TRUE(Scalar(std::complex<double>(0, 1)).to<bool>());
  EXPECT_FALSE(Scalar(std::complex<double>(2.5, 0)) == Scalar(2.5));
  EXPECT_FALSE(z == z.Conjugate());
  EXPECT_EQ(Scalar(3).to<std::complex<double>>(), std::complex<double>(3));
  EXPECT_EQ(Scalar(0.5).Conjugate(), Scalar(0.5));
}

TEST(ScalarTest, TextKeepsTheKind) {
  EXPECT_EQ(ToString(Scalar(std::complex<double>(2, -0.5))),
            "complex(2.0, -0.5)");
  EXPECT_EQ(ToString(Scalar(true)), "true");
  EXPECT_EQ(ToString(Scalar(false)), "false");
  EXPECT_EQ(ToString(Scalar(3)), "3");
  EXPECT_EQ(ToString(Scalar(3.0)), "3.0");
  EXPECT_EQ(ToString(Scalar(0.5)), "0.5");
  EXPECT_EQ(ToString(Scalar(INT64_MIN)), "-9223372036854775808");
}

}  // namespace
}  // namespace switchyard
