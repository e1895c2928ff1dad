// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/reduce.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "framework/testing/matchers.h"
#include "framework/types/float16.h"
#include "gtest/gtest.h"

namespace switchyard::collective {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ShardTreeTest, CutsAtPowersOfTwo) {
  EXPECT_EQ(CutOf({0, 2}), 1);
  EXPECT_EQ(CutOf({0, 3}), 2);
  EXPECT_EQ(CutOf({0, 8}), 4);
  EXPECT_EQ(CutOf({4, 8}), 6);
  EXPECT_EQ(CutOf({0, 9}), 8);
  EXPECT_EQ(CutOf({8, 13}), 12);
}

TEST(ShardTreeTest, RanksHoldWholeNodes) {
  const ShardTree two(8, 2);
  EXPECT_THAT(two.pieces(0), ElementsAre(ShardRange{0, 4}));
  EXPECT_THAT(two.pieces(1), ElementsAre(ShardRange{4, 8}));
  const ShardTree three(8, 3);  // Runs of 2, 3 and 3.
  EXPECT_THAT(three.pieces(0), ElementsAre(ShardRange{0, 2}));
  EXPECT_THAT(three.pieces(1), ElementsAre(ShardRange{2, 4}, ShardRange{4, 5}));
  EXPECT_THAT(three.pieces(2), ElementsAre(ShardRange{5, 6}, ShardRange{6, 8}));
}

TEST(ShardTreeTest, PiecesCoverAllShardsAndAreFew) {
  for (int shards = 1; shards <= 70; ++shards) {
    int levels = 0;
    while ((1 << levels) < shards) ++levels;
    for (int ranks = 1; ranks <= shards; ++ranks) {
      const ShardTree tree(shards, ranks);
      int next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_LE(tree.pieces(rank).size(), std::max(1, 2 * levels));
        EXPECT_GE(tree.RangeOf(rank).size(), shards / ranks);
        EXPECT_LE(tree.RangeOf(rank).size(), (shards + ranks - 1) / ranks);
        for (const ShardRange& piece : tree.pieces(rank)) {
          EXPECT_EQ(piece.begin, next);
          next = piece.end;
        }
      }
      EXPECT_EQ(next, shards);
    }
  }
}

// Shards of values of mixed magnitude, whose sum depends on the order.
std::vector<std::vector<float>> Shards(int shards, size_t count) {
  std::mt19937 random(7);
  std::vector<std::vector<float>> values(shards, std::vector<float>(count));
  for (auto& shard : values) {
    for (float& value : shard) {
      const int bits = static_cast<int>(random());
      value = std::ldexp(static_cast<float>(bits), bits % 20 - 30);
    }
  }
  return values;
}

TEST(ReduceTreeTest, AddsByTheTree) {
  for (const size_t count : {1, 7, 2048, 5000}) {
    const auto shards = Shards(5, count);
    std::vector<ShardValues> pieces;
    for (int i = 0; i < 5; ++i)
      pieces.push_back({{i, i + 1}, shards[i].data()});
    std::vector<float> sum(count), mean(count);
    ReduceTree(Reduction::kSum, DataType::kFloat32, 5, pieces, sum.data(),
               count);
    ReduceTree(Reduction::kMean, DataType::kFloat32, 5, pieces, mean.data(),
               count);
    for (size_t i = 0; i < count; ++i) {
      const float left =
          (shards[0][i] + shards[1][i]) + (shards[2][i] + shards[3][i]);
      EXPECT_EQ(sum[i], left + shards[4][i]);
      EXPECT_EQ(mean[i], (left + shards[4][i]) / 5);
    }
  }
}

TEST(ReduceTreeTest, MayWriteOverAPiece) {
  auto shards = Shards(3, 3000);
  std::vector<ShardValues> pieces;
  for (int i = 0; i < 3; ++i) pieces.push_back({{i, i + 1}, shards[i].data()});
  std::vector<float> expected(3000);
  ReduceTree(Reduction::kSum, DataType::kFloat32, 3, pieces, expected.data(),
             3000);
  ReduceTree(Reduction::kSum, DataType::kFloat32, 3, pieces, shards[1].data(),
             3000);
  EXPECT_EQ(shards[1], expected);
}

TEST(ReduceTreeTest, NaNsAreTheSame) {
  const uint32_t quiet = 0x7fc00000u;
  for (const uint32_t bits : {0xffc00123u, 0x7f800001u, 0x7fc0abcdu}) {
    float nan, one = 1, out;
    std::memcpy(&nan, &bits, sizeof(nan));
    for (const bool swapped : {false, true}) {
      ReduceTree(
          Reduction::kSum, DataType::kFloat32, 2,
          {{{0, 1}, swapped ? &one : &nan}, {{1, 2}, swapped ? &nan : &one}},
          &out, 1);
      EXPECT_EQ(std::memcmp(&out, &quiet, sizeof(out)), 0);
    }
    ReduceTree(Reduction::kMax, DataType::kFloat32, 1, {{{0, 1}, &nan}}, &out,
               1);
    EXPECT_EQ(std::memcmp(&out, &quiet, sizeof(out)), 0);
  }
}

template <typename T>
T CombinedAs(Reduction reduction, DataType dtype, T left, T right) {
  T out;
  Combine(reduction, dtype, &left, &right, &out, 1);
  return out;
}

TEST(CombineTest, ZerosAndNaNsHaveAnOrder) {
  const auto of = [](Reduction reduction, double a, double b) {
    return CombinedAs(reduction, DataType::kFloat64, a, b);
  };
  EXPECT_TRUE(std::signbit(of(Reduction::kMin, 0.0, -0.0)));
  EXPECT_TRUE(std::signbit(of(Reduction::kMin, -0.0, 0.0)));
  EXPECT_FALSE(std::signbit(of(Reduction::kMax, 0.0, -0.0)));
  EXPECT_FALSE(std::signbit(of(Reduction::kMax, -0.0, 0.0)));
  EXPECT_TRUE(std::isnan(of(Reduction::kMax, std::nan(""), 3)));
  EXPECT_TRUE(std::isnan(of(Reduction::kMin, 3, std::nan(""))));
  EXPECT_EQ(of(Reduction::kMax, 2, 3), 3);
  EXPECT_EQ(of(Reduction::kMin, 2, 3), 2);
}

TEST(CombineTest, OtherDtypes) {
  EXPECT_EQ(CombinedAs<int8_t>(Reduction::kSum, DataType::kInt8, 100, 100),
            -56);
  EXPECT_EQ(CombinedAs<int64_t>(Reduction::kSum, DataType::kInt64,
                                std::numeric_limits<int64_t>::max(), 1),
            std::numeric_limits<int64_t>::min());
  EXPECT_EQ(static_cast<float>(CombinedAs(Reduction::kSum, DataType::kFloat16,
                                          float16(2048.0f), float16(1.0f))),
            2048.0f);
  EXPECT_EQ(static_cast<float>(CombinedAs(Reduction::kMax, DataType::kBFloat16,
                                          bfloat16(2.0f), bfloat16(-1.0f))),
            2.0f);
}

TEST(CheckReductionTest, RefusesWhatHasNoSum) {
  EXPECT_THAT(CheckReduction(Reduction::kSum, DataType::kInt64), IsOk());
  EXPECT_THAT(CheckReduction(Reduction::kMean, DataType::kFloat16), IsOk());
  EXPECT_THAT(CheckReduction(Reduction::kMean, DataType::kInt64).message(),
              HasSubstr("dtype must be floating for a mean, got int64"));
  EXPECT_THAT(CheckReduction(Reduction::kSum, DataType::kBool).message(),
              HasSubstr("got bool"));
}

}  // namespace
}  // namespace switchyard::collective
