// SPDX-License-Identifier: Apache-2.0
// Results of collective calls, bit by bit, on ranks that are threads.
#include "framework/collective/collectives.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "framework/collective/run_ranks.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard::collective {
namespace {

using std::chrono::microseconds;

constexpr int kShards = 8;

// The values of a shard: of mixed magnitude, so that sums depend on the order.
std::vector<float> ShardOf(int shard, size_t count) {
  std::mt19937 random(static_cast<uint32_t>(shard));
  std::vector<float> values(count);
  for (float& value : values) {
    const int bits = static_cast<int>(random());
    value = std::ldexp(static_cast<float>(bits), bits % 20 - 30);
  }
  return values;
}

// The sum of a node by the tree, as a program that knows nothing of ranks
// would write it.
std::vector<float> SumOf(ShardRange node, size_t count) {
  if (node.size() == 1) return ShardOf(node.begin, count);
  const int cut = CutOf(node);
  std::vector<float> left = SumOf({node.begin, cut}, count);
  const std::vector<float> right = SumOf({cut, node.end}, count);
  for (size_t i = 0; i < count; ++i) left[i] += right[i];
  return left;
}

Call FloatCall(uint64_t count) {
  Call call;
  call.dtype = DataType::kFloat32;
  call.count = count;
  call.name = "x";
  return call;
}

struct Pieces {
  Pieces(const ShardTree& tree, int rank, size_t count) {
    for (const ShardRange& piece : tree.pieces(rank)) {
      values.push_back(SumOf(piece, count));
    }
    for (const auto& each : values) data.push_back(each.data());
  }
  std::vector<std::vector<float>> values;
  std::vector<const void*> data;
};

void ExpectBits(const std::vector<float>& got, const float* expected) {
  if (got.empty()) return;
  EXPECT_EQ(std::memcmp(got.data(), expected, got.size() * sizeof(float)), 0);
}

// All-reduces `count` elements on `size` ranks; the sum must have the bits of
// one process on every rank.
void CheckAllReduce(ThreadWorld& world, int size, size_t count) {
  const std::vector<float> expected = SumOf({0, kShards}, count);
  const ShardTree tree(kShards, size);
  std::vector<std::vector<float>> results(size, std::vector<float>(count));
  const auto statuses = RunRanks(world, size, [&](Group& group) {
    const Pieces pieces(tree, group.rank(), count);
    return AllReduce(group, FloatCall(count), tree, pieces.data,
                     results[group.rank()].data());
  });
  for (int rank = 0; rank < size; ++rank) {
    SCOPED_TRACE(testing::Message()
                 << "rank " << rank << " of " << size << ", count " << count);
    ASSERT_THAT(statuses[rank], IsOk());
    ExpectBits(results[rank], expected.data());
  }
}

TEST(AllReduceTest, TheSameBitsForEveryNumberOfRanks) {
  for (const size_t count : {0, 1, 2, 15, 63, 1000, 1025, 4097, 20011}) {
    for (int size = 1; size <= kShards; ++size) {
      ThreadWorld world(size);
      CheckAllReduce(world, size, count);
    }
  }
}

TEST(AllReduceTest, LargeCounts) {
  for (const size_t count : {(1u << 18) - 1, 1u << 20}) {
    for (const int size : {2, 3, 4}) {
      ThreadWorld world(size);
      CheckAllReduce(world, size, count);
    }
  }
}

// No library's order has the parts of the tree of three ranks.
TEST(AllReduceTest, SixteenMillionElements) {
  ThreadWorld world(3);
  CheckAllReduce(world, 3, 1u << 24);
}

TEST(AllReduceTest, DelaysAndReorderingChangeNoBit) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    for (const int size : {2, 3, 4}) {
      ThreadWorld world(size, seed, microseconds(300));
      CheckAllReduce(world, size, seed % 2 == 0 ? 255 : 5001);
    }
  }
}

TEST(AllReduceTest, CallsFollowEachOtherInPlace) {
  constexpr int kSize = 3;
  const ShardTree tree(kSize, kSize);
  ThreadWorld world(kSize, 5, microseconds(200));
  std::vector<double> results(kSize);
  const auto statuses = RunRanks(world, kSize, [&](Group& group) {
    double value = group.rank() + 1;
    Call call;
    call.dtype = DataType::kFloat64;
    call.count = 1;
    for (int i = 0; i < 20; ++i) {
      call.reduction = i % 2 == 0 ? Reduction::kSum : Reduction::kMean;
      SY_RETURN_IF_ERROR(AllReduce(group, call, tree, {&value}, &value));
    }
    results[group.rank()] = value;
    return absl::OkStatus();
  });
  // 1 + 2 + 3, then the mean of three equal numbers, then three times that.
  double expected = 6;
  for (int i = 2; i < 20; ++i) expected = i % 2 == 0 ? 3 * expected : expected;
  for (int rank = 0; rank < kSize; ++rank) {
    ASSERT_THAT(statuses[rank], IsOk());
    EXPECT_EQ(results[rank], expected);
  }
  EXPECT_GT(world.messages(), 20 * kSize);
}

TEST(ReduceScatterTest, IsASliceOfTheReduction) {
  for (const size_t count : {0, 5, 1000, 30011}) {
    const std::vector<float> expected = SumOf({0, kShards}, count);
    for (const int size : {1, 2, 3, 4, 8}) {
      const ShardTree tree(kShards, size);
      const std::vector<uint64_t> begins = EvenSlices(count, size);
      ThreadWorld world(size, count, microseconds(100));
      const auto statuses = RunRanks(world, size, [&](Group& group) {
        const Pieces pieces(tree, group.rank(), count);
        const uint64_t begin = begins[group.rank()];
        std::vector<float> part(begins[group.rank() + 1] - begin);
        SY_RETURN_IF_ERROR(ReduceScatter(group, FloatCall(count), tree,
                                         pieces.data, begins, part.data()));
        ExpectBits(part, expected.data() + begin);
        std::vector<float> all(count);
        std::copy(part.begin(), part.end(),
                  all.begin() + static_cast<ptrdiff_t>(begin));
        SY_RETURN_IF_ERROR(
            AllGather(group, FloatCall(count), begins, all.data()));
        ExpectBits(all, expected.data());
        return Barrier(group, {});
      });
      for (const absl::Status& status : statuses) ASSERT_THAT(status, IsOk());
    }
  }
}

TEST(BroadcastTest, EveryRankHasTheRootsValues) {
  for (int size = 1; size <= 9; ++size) {
    for (int root = 0; root < size; ++root) {
      ThreadWorld world(size, static_cast<uint64_t>(root), microseconds(100));
      const auto statuses = RunRanks(world, size, [&](Group& group) {
        std::vector<float> values = ShardOf(group.rank(), 1001);
        SY_RETURN_IF_ERROR(
            Broadcast(group, FloatCall(1001), root, values.data()));
        ExpectBits(values, ShardOf(root, 1001).data());
        return absl::OkStatus();
      });
      for (const absl::Status& status : statuses) ASSERT_THAT(status, IsOk());
    }
  }
}

}  // namespace
}  // namespace switchyard::collective
