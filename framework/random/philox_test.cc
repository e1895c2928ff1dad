// SPDX-License-Identifier: Apache-2.0
#include "framework/random/philox.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace switchyard {
namespace {

// Known answers published with Random123 (kat_vectors, "philox4x32 10").
TEST(PhiloxTest, KnownAnswers) {
  EXPECT_EQ(Philox4x32({0, 0, 0, 0}, {0, 0}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                       {0xffffffff, 0xffffffff}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                       {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(PhiloxTest, TheConventionPlacesSeedOffsetAndBlock) {
  const PhiloxStream stream(0x1111222233334444, 0x5555666677770000, 0x8888);
  EXPECT_EQ(stream.Block(0x123456789),
            Philox4x32({0x23456789, 0x1, 0x77778888, 0x55556666},
                       {0x33334444, 0x11112222}));
}

TEST(PhiloxTest, ElementsAreLanesOfBlocks) {
  const PhiloxStream stream(7, 3, 2);
  for (int64_t i = 0; i < 40; ++i) {
    const PhiloxBlock four = stream.Block(i / 4);
    EXPECT_EQ(stream.Draw32(i), four[static_cast<size_t>(i % 4)]);
    const PhiloxBlock two = stream.Block(i / 2);
    const size_t lane = i % 2 == 0 ? 0 : 2;
    EXPECT_EQ(stream.Draw64(i), two[lane] | static_cast<uint64_t>(two[lane + 1])
                                                << 32);
  }
}

TEST(PhiloxTest, OffsetAndStreamAddUp) {
  EXPECT_EQ(PhiloxStream(7, 3, 2).Draw32(9), PhiloxStream(7, 5, 0).Draw32(9));
  EXPECT_NE(PhiloxStream(7, 3, 2).Draw32(9), PhiloxStream(7, 4, 2).Draw32(9));
  EXPECT_NE(PhiloxStream(7, 3, 2).Draw32(9), PhiloxStream(8, 3, 2).Draw32(9));
  EXPECT_EQ(PhiloxStream(7, INT64_MAX, 1).Draw32(0),
            PhiloxStream(7, INT64_MIN, 0).Draw32(0));
}

TEST(PhiloxTest, UniformsCoverTheHalfOpenInterval) {
  EXPECT_EQ(UniformFloat(0), 0.0f);
  EXPECT_EQ(UniformFloat(0xffffffff), 1.0f - 0x1p-24f);
  EXPECT_EQ(UniformFloat(0x80000000), 0.5f);
  EXPECT_EQ(UniformDouble(0), 0.0);
  EXPECT_EQ(UniformDouble(UINT64_MAX), 1.0 - 0x1p-53);
}

TEST(PhiloxTest, NormalsStayFiniteAtTheEnds) {
  constexpr uint32_t kOnes = 0xffffffff;
  for (double z : PhiloxStream::Normals32({0, 0, kOnes, kOnes})) {
    EXPECT_LE(std::fabs(z), 6.67);
  }
  for (double z : PhiloxStream::Normals64({0, 0, 0, 0})) {
    EXPECT_LE(std::fabs(z), 8.58);
  }
  EXPECT_EQ(PhiloxStream::Normals64({kOnes, kOnes, 0, 0})[0], 0.0);
}

struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments MomentsOf(const std::vector<double>& values) {
  Moments moments;
  for (double value : values) {
    moments.mean += value / static_cast<double>(values.size());
  }
  for (double value : values) {
    moments.variance += (value - moments.mean) * (value - moments.mean) /
                        static_cast<double>(values.size());
  }
  return moments;
}

// Bounds are five standard errors of the estimates.
TEST(PhiloxTest, UniformsAndNormalsHaveTheirMoments) {
  constexpr int64_t kBlocks = 50000;
  const PhiloxStream stream(42, 0, 0);
  std::vector<double> uniforms;
  std::vector<double> normals;
  std::vector<double> wide_normals;
  for (int64_t block = 0; block < kBlocks; ++block) {
    const PhiloxBlock draws = stream.Block(block);
    for (uint32_t draw : draws) uniforms.push_back(UniformFloat(draw));
    for (double z : PhiloxStream::Normals32(draws)) normals.push_back(z);
    for (double z : PhiloxStream::Normals64(draws)) wide_normals.push_back(z);
  }
  const double n = 4.0 * kBlocks;
  const Moments uniform = MomentsOf(uniforms);
  EXPECT_NEAR(uniform.mean, 0.5, 5 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(uniform.variance, 1.0 / 12, 5 * std::sqrt(1.0 / 180 / n));
  for (const std::vector<double>* values : {&normals, &wide_normals}) {
    const auto count = static_cast<double>(values->size());
    const Moments normal = MomentsOf(*values);
    EXPECT_NEAR(normal.mean, 0.0, 5 * std::sqrt(1.0 / count));
    EXPECT_NEAR(normal.variance, 1.0, 5 * std::sqrt(2.0 / count));
  }
  // Distribution, not only moments: the share below one standard deviation.
  const auto below = std::count_if(normals.begin(), normals.end(),
                                   [](double z) { return z < 1.0; });
  EXPECT_NEAR(static_cast<double>(below) / n, 0.841344746,
              5 * std::sqrt(0.84 * 0.16 / n));
}

}  // namespace
}  // namespace switchyard
