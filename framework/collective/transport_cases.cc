// SPDX-License-Identifier: Apache-2.0
#include "framework/collective/transport_cases.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "framework/collective/collectives.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard::collective {
namespace {

using testing::HasSubstr;

std::vector<absl::Status> RunInWorld(
    int size, const std::function<absl::Status(Group&)>& body) {
  const std::unique_ptr<World> world = MakeWorld(size);
  std::vector<absl::Status> results(size);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      GroupOptions options;
      options.deadline = std::chrono::milliseconds(20000);
      auto group =
          Group::Make(world->transport(), {rank, size, world->MediumOf(rank)},
                      std::move(options));
      results[rank] = group.ok() ? body(**group) : group.status();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

Call DoubleCall(uint64_t count) {
  Call call;
  call.dtype = DataType::kFloat64;
  call.count = count;
  return call;
}

// The values of a shard: of mixed magnitude, so that sums depend on the order.
std::vector<double> ShardOf(int shard, uint64_t count) {
  std::mt19937 random(static_cast<uint32_t>(shard));
  std::vector<double> values(count);
  for (double& value : values) {
    const int bits = static_cast<int>(random());
    value = std::ldexp(bits, bits % 20 - 30);
  }
  return values;
}

// The sum of a node by the tree, as a program that knows nothing of ranks
// would write it.
std::vector<double> SumOf(ShardRange node, uint64_t count) {
  if (node.size() == 1) return ShardOf(node.begin, count);
  const int cut = CutOf(node);
  std::vector<double> left = SumOf({node.begin, cut}, count);
  const std::vector<double> right = SumOf({cut, node.end}, count);
  for (uint64_t i = 0; i < count; ++i) left[i] += right[i];
  return left;
}

TEST(TransportTest, BitsOfTheTreeForEverySize) {
  constexpr int kShards = 8;
  for (const uint64_t count : {0, 1, 511, 513, 70001, 400003}) {
    const std::vector<double> expected = SumOf({0, kShards}, count);
    for (const int size : {1, 2, 3, 4}) {
      const ShardTree tree(kShards, size);
      const auto statuses = RunInWorld(size, [&](Group& group) {
        std::vector<std::vector<double>> values;
        std::vector<const void*> pieces;
        for (const ShardRange& piece : tree.pieces(group.rank())) {
          values.push_back(SumOf(piece, count));
        }
        for (const auto& each : values) pieces.push_back(each.data());
        std::vector<double> sum(count);
        for (int again = 0; again < 2; ++again) {
          SY_RETURN_IF_ERROR(
              AllReduce(group, DoubleCall(count), tree, pieces, sum.data()));
        }
        return count == 0 || std::memcmp(sum.data(), expected.data(),
                                         count * sizeof(double)) == 0
                   ? absl::OkStatus()
                   : absl::DataLossError("wrong");
      });
      for (const absl::Status& status : statuses) ASSERT_THAT(status, IsOk());
    }
  }
}

// Returns how the library's sum of the shards differs from the tree's: a rank's
// own errors, then whether it is the mean that was asked for, within the
// rounding of another order, of values, NaNs and infinities.
absl::Status CheckLibrarySum(Group& group, uint64_t count, bool* same_bits) {
  constexpr int kShards = 5;
  const ShardTree tree(kShards, group.size());
  std::vector<std::vector<double>> values;
  std::vector<const void*> pieces;
  for (const ShardRange& piece : tree.pieces(group.rank())) {
    values.push_back(SumOf(piece, count));
    if (count > 3 && piece.begin == 0) {
      values.back()[1] = -std::nan("7");
      values.back()[2] = INFINITY;
    }
  }
  for (const auto& each : values) pieces.push_back(each.data());
  std::vector<double> sum(count), expected(count);
  Call call = DoubleCall(count);
  call.reduction = Reduction::kMean;
  SY_RETURN_IF_ERROR(AllReduce(group, call, tree, pieces, expected.data()));
  // Rank 0 has other memory for it, the others that of a piece.
  std::vector<double>& out = group.rank() == 0 ? sum : values.back();
  SY_RETURN_IF_ERROR(LibraryAllReduce(group, call, tree, pieces, out.data()));
  sum = std::vector<double>(out);
  std::vector<double> sizes(count);
  for (int shard = 0; shard < kShards; ++shard) {
    const std::vector<double> each = ShardOf(shard, count);
    for (uint64_t i = 0; i < count; ++i) sizes[i] += std::abs(each[i]);
  }
  *same_bits = count == 0 || std::memcmp(sum.data(), expected.data(),
                                         count * sizeof(double)) == 0;
  for (uint64_t i = 0; i < count; ++i) {
    if (count > 3 && (i == 1 || i == 2)) {
      if (std::memcmp(&sum[i], &expected[i], sizeof(double)) == 0) continue;
      return absl::DataLossError("NaN or infinity");
    }
    // Four roundings a sum, in two orders.
    if (!(std::abs(sum[i] - expected[i]) <= std::ldexp(sizes[i], -50))) {
      return absl::DataLossError(absl::StrCat("element ", i));
    }
  }
  return absl::OkStatus();
}

TEST(TransportTest, ALibrarysSumIsTheTreesButForRounding) {
  const bool has_library = MakeWorld(2)->transport().isum != nullptr;
  for (const uint64_t count : {0, 1, 511, 70001, 400003}) {
    for (const int size : {2, 3, 4}) {
      std::vector<char> same(size);
      const auto statuses = RunInWorld(size, [&](Group& group) {
        bool bits = false;
        const absl::Status status = CheckLibrarySum(group, count, &bits);
        same[group.rank()] = bits;
        return status;
      });
      for (const absl::Status& status : statuses) {
        if (has_library) {
          ASSERT_THAT(status, IsOk());
        } else {
          ASSERT_THAT(status,
                      StatusIs(absl::StatusCode::kInvalidArgument,
                               HasSubstr("reduction=library must be on a "
                                         "transport whose library sums, mpi or "
                                         "gloo, got ")));
        }
      }
      // Its order is not the tree's: it is the library that adds.
      if (has_library && size == 3 && count > 511) {
        EXPECT_FALSE(same[0]);
      }
    }
  }
}

TEST(TransportTest, OnlyWhatDependsOnTheOrderIsALibrarys) {
  Call call = DoubleCall(1);
  EXPECT_TRUE(LibraryReduces(call));
  call.reduction = Reduction::kMax;
  EXPECT_FALSE(LibraryReduces(call));
  call.reduction = Reduction::kMean;
  call.dtype = DataType::kFloat32;
  EXPECT_TRUE(LibraryReduces(call));
  for (const DataType dtype : {DataType::kFloat16, DataType::kInt64}) {
    call.dtype = dtype;
    EXPECT_FALSE(LibraryReduces(call));
  }
}

// The receiver asks for messages in another order than they come.
TEST(TransportTest, MessagesAreFoundByTheirTags) {
  const std::unique_ptr<World> world = MakeWorld(2);
  const TransportInfo& transport = world->transport();
  absl::StatusOr<void*> right = nullptr;
  std::thread other([&] {
    right = transport.connect({1, 2, world->MediumOf(1)});
  });
  const auto left = transport.connect({0, 2, world->MediumOf(0)});
  other.join();
  ASSERT_THAT(left, IsOk());
  ASSERT_THAT(right, IsOk());
  std::vector<int> sent(100000), got(100000);
  for (int i = 0; i < 100000; ++i) sent[i] = i;
  const size_t bytes = sent.size() * sizeof(int);
  const int small = 42;
  int found = 0;
  std::vector<std::pair<void*, void*>> requests;
  requests.emplace_back(*left,
                        *transport.isend(*left, 1, 7, sent.data(), bytes));
  requests.emplace_back(*left, *transport.isend(*left, 1, 9, &small, 4));
  requests.emplace_back(*right, *transport.irecv(*right, 0, 9, &found, 4));
  bool late = false;
  while (!requests.empty()) {
    for (size_t i = 0; i < requests.size(); ++i) {
      const auto done = transport.test(requests[i].first, requests[i].second);
      ASSERT_THAT(done, IsOk());
      if (*done) requests.erase(requests.begin() + static_cast<long>(i--));
    }
    if (!late) {  // Part of it may be there already.
      late = true;
      requests.emplace_back(*right,
                            *transport.irecv(*right, 0, 7, got.data(), bytes));
    }
  }
  EXPECT_EQ(found, 42);
  EXPECT_EQ(got, sent);
  std::thread leaves([&] { transport.close(*left, false); });
  transport.close(*right, false);
  leaves.join();
}

TEST(TransportTest, ARankThatLeavesIsNamed) {
  const auto statuses = RunInWorld(3, [](Group& group) {
    SY_RETURN_IF_ERROR(Barrier(group, {}));
    if (group.rank() == 1) return absl::OkStatus();
    return Barrier(group, {});
  });
  EXPECT_THAT(statuses[0].message(),
              HasSubstr("rank 1 closed the connection while rank "));
  EXPECT_THAT(statuses[2].message(),
              HasSubstr("rank 1 closed the connection while rank "));
}

TEST(TransportTest, TheLastMessagesOfARankThatLeavesArrive) {
  for (int again = 0; again < 20; ++again) {
    const auto statuses = RunInWorld(2, [](Group& group) {
      std::vector<double> values(50000, group.rank());
      SY_RETURN_IF_ERROR(Broadcast(group, DoubleCall(50000), 0, values.data()));
      return values[49999] == 0 ? absl::OkStatus()
                                : absl::DataLossError("wrong");
    });
    for (const absl::Status& status : statuses) ASSERT_THAT(status, IsOk());
  }
}

TEST(TransportTest, DifferencesAreNamedOnBothRanks) {
  const auto statuses = RunInWorld(2, [](Group& group) {
    std::vector<double> values(1000);
    if (group.rank() == 0) return Barrier(group, {});
    // If it has sent all when it returns, it answers in its next call.
    SY_RETURN_IF_ERROR(Broadcast(group, DoubleCall(1000), 1, values.data()));
    return Barrier(group, {});
  });
  const std::string sentence =
      "ranks make different collective calls: as call 0, rank 0 makes barrier "
      "and rank 1 makes broadcast float64[1000] from rank 1";
  EXPECT_EQ(statuses[0].message(), sentence);
  EXPECT_EQ(statuses[1].message(), sentence);
}

}  // namespace
}  // namespace switchyard::collective
