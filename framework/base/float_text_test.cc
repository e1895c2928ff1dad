// SPDX-License-Identifier: Apache-2.0
#include "framework/base/float_text.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(FloatTextTest, IsShortAndLooksFloating) {
  EXPECT_EQ(ShortestText(1.0), "1.0");
  EXPECT_EQ(ShortestText(-0.0), "-0.0");
  EXPECT_EQ(ShortestText(0.1), "0.1");
  EXPECT_EQ(ShortestText(0.1f), "0.1");
  EXPECT_EQ(ShortestText(static_cast<double>(0.1f)), "0.10000000149011612");
  EXPECT_EQ(ShortestText(1e30), "1e+30");
}

TEST(FloatTextTest, NamesWhatIsNoNumber) {
  EXPECT_EQ(ShortestText(std::numeric_limits<float>::infinity()), "inf");
  EXPECT_EQ(ShortestText(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(ShortestText(-std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(FloatTextTest, ReadsBackAsTheSameNumber) {
  std::mt19937 bits(1);
  for (int i = 0; i < 10000; ++i) {
    const double value = std::ldexp(static_cast<double>(bits()),
                                    static_cast<int>(bits() % 1800) - 900);
    ASSERT_EQ(std::strtod(ShortestText(value).c_str(), nullptr), value);
    const auto single = static_cast<float>(std::ldexp(
        static_cast<double>(bits()), static_cast<int>(bits() % 200) - 120));
    ASSERT_EQ(std::strtof(ShortestText(single).c_str(), nullptr), single);
  }
}

}  // namespace
}  // namespace switchyard
