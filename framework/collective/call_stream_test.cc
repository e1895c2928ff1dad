// SPDX-License-Identifier: Apache-2.0
// Calls on a thread beside the one that makes them: order, bits, overlap, the
// window and errors, on ranks that are threads.
#include "framework/collective/call_stream.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "framework/collective/collectives.h"
#include "framework/collective/run_ranks.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard::collective {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr int kShards = 4;

Call SumOf(const std::string& name, uint64_t count) {
  Call call;
  call.op = Operator::kAllReduce;
  call.dtype = DataType::kFloat32;
  call.count = count;
  call.detail = kShards;
  call.name = name;
  call.location = "train.py:1";
  return call;
}

// The sum over the shards of a node, for the tensor of this number.
std::vector<float> SumOver(ShardRange node, int number, size_t count) {
  std::vector<float> left(count);
  if (node.size() == 1) {
    for (size_t i = 0; i < count; ++i) {
      left[i] = 1.0f / static_cast<float>(1 + number + i + 7 * node.begin);
    }
    return left;
  }
  const int cut = CutOf(node);
  left = SumOver({node.begin, cut}, number, count);
  const std::vector<float> right = SumOver({cut, node.end}, number, count);
  for (size_t i = 0; i < count; ++i) left[i] += right[i];
  return left;
}

// A tensor of a rank: its pieces of the tree, and the sum.
struct Bucket {
  Bucket(const ShardTree& tree, int rank, int number, size_t count)
      : out(count) {
    for (const ShardRange& piece : tree.pieces(rank)) {
      pieces.push_back(SumOver(piece, number, count));
    }
    for (const auto& each : pieces) data.push_back(each.data());
  }

  absl::StatusOr<uint64_t> GiveTo(CallStream& stream, const ShardTree& tree,
                                  const std::string& name) {
    const Call call = SumOf(name, out.size());
    return stream.Give(call, out.size() * sizeof(float), [=](Group& group) {
      return AllReduce(group, call, tree, data, out.data());
    });
  }

  std::vector<std::vector<float>> pieces;
  std::vector<const void*> data;
  mutable std::vector<float> out;
};

// Sums ten tensors on `size` ranks whose messages are late by up to `delay`, as
// `seed` says; asynchronously, or at once. Returns the elements of all, by
// rank.
std::vector<std::vector<float>> Sums(int size, uint64_t seed,
                                     microseconds delay, bool asynchronous) {
  ThreadWorld world(size, seed, delay);
  const ShardTree tree(kShards, size);
  std::vector<std::vector<float>> sums(size);
  const auto statuses = RunRanks(world, size, [&](Group& group) {
    CallStream stream(group);
    std::vector<Bucket> buckets;
    for (int i = 0; i < 10; ++i) {
      buckets.emplace_back(tree, group.rank(), i, size_t{1} << i);
    }
    uint64_t last = 0;
    for (size_t i = 0; i < buckets.size(); ++i) {
      const std::string name = "b" + std::to_string(i);
      SY_ASSIGN_OR_RETURN(last, buckets[i].GiveTo(stream, tree, name));
      if (!asynchronous) SY_RETURN_IF_ERROR(stream.Wait(last));
    }
    SY_RETURN_IF_ERROR(stream.Wait(last));
    for (const Bucket& each : buckets) {
      sums[group.rank()].insert(sums[group.rank()].end(), each.out.begin(),
                                each.out.end());
    }
    return absl::OkStatus();
  });
  for (const absl::Status& status : statuses)
    EXPECT_TRUE(status.ok()) << status;
  return sums;
}

TEST(CallStreamTest, HasTheBitsOfCallsAtOnceForThirtyOrdersOfMessages) {
  const std::vector<float> expected = Sums(1, 0, {}, false)[0];
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const int size = 2 + static_cast<int>(seed % 3);
    for (const auto& sums : Sums(size, seed, microseconds(300), true)) {
      ASSERT_EQ(sums.size(), expected.size());
      EXPECT_EQ(std::memcmp(sums.data(), expected.data(),
                            sums.size() * sizeof(float)),
                0)
          << seed;
    }
  }
}

// Each rank computes until both have received the first tensor, which would
// never end if it had to wait for its calls.
TEST(CallStreamTest, CallsGoOnWhileTheRankComputes) {
  ThreadWorld world(2, 1, milliseconds(5));
  const ShardTree tree(kShards, 2);
  std::atomic<int> arrived{0};
  const auto statuses = RunRanks(world, 2, [&](Group& group) {
    CallStream stream(group);
    stream.StartTrace();
    Bucket first(tree, group.rank(), 0, 100), second(tree, group.rank(), 1, 9);
    SY_RETURN_IF_ERROR(first.GiveTo(stream, tree, "first").status());
    const Call call = SumOf("mark", 0);
    SY_RETURN_IF_ERROR(stream
                           .Give(call, 0,
                                 [&](Group&) {
                                   ++arrived;
                                   return absl::OkStatus();
                                 })
                           .status());
    while (arrived < 2) std::this_thread::yield();  // Computes.
    const auto computed = CallStream::Clock::now();
    SY_ASSIGN_OR_RETURN(const uint64_t last,
                        second.GiveTo(stream, tree, "second"));
    SY_RETURN_IF_ERROR(stream.Wait(last));
    const auto trace = stream.TakeTrace();
    EXPECT_EQ(trace.size(), 3u);
    EXPECT_EQ(trace[0].call.name, "first");
    EXPECT_LE(trace[0].ended, computed);
    EXPECT_GE(trace[2].begun, computed);
    EXPECT_FALSE(trace[2].inline_call);
    return absl::OkStatus();
  });
  for (const absl::Status& status : statuses)
    EXPECT_TRUE(status.ok()) << status;
}

// The seconds of a step of ten layers: of all of it, of computing, which is
// `layer` for each, and of the calls. Messages are late by up to 5 ms.
struct StepTimes {
  double whole, computing, calls;
};

StepTimes TimesOfStep(bool overlaps, milliseconds layer) {
  using Seconds = std::chrono::duration<double>;
  constexpr int kLayers = 10;
  ThreadWorld world(2, 3, milliseconds(5));
  const ShardTree tree(kShards, 2);
  std::vector<StepTimes> times(2);
  const auto statuses = RunRanks(world, 2, [&](Group& group) {
    CallStream stream(group);
    std::vector<Bucket> buckets;
    for (int i = 0; i < kLayers; ++i) {
      buckets.emplace_back(tree, group.rank(), i, 100);
    }
    SY_RETURN_IF_ERROR(Barrier(group, {}));
    stream.StartTrace();
    uint64_t last = 0;
    const auto begun = CallStream::Clock::now();
    for (Bucket& each : buckets) {
      std::this_thread::sleep_for(layer);  // As a device computes.
      SY_ASSIGN_OR_RETURN(last, each.GiveTo(stream, tree, "x"));
      if (!overlaps) SY_RETURN_IF_ERROR(stream.Wait(last));
    }
    SY_RETURN_IF_ERROR(stream.Wait(last));
    const Seconds whole = CallStream::Clock::now() - begun;
    Seconds calls{0};
    for (const auto& each : stream.TakeTrace())
      calls += each.ended - each.begun;
    times[group.rank()] = {whole.count(), kLayers * Seconds(layer).count(),
                           calls.count()};
    return absl::OkStatus();
  });
  for (const absl::Status& status : statuses)
    EXPECT_TRUE(status.ok()) << status;
  return times[0];
}

TEST(CallStreamTest, AStepTakesWhatIsLongerOfComputingAndCalls) {
  // A machine that is busy with other things makes any step longer.
  double least = 1e9;
  for (int i = 0; i < 20 && least > 1.15; ++i) {
    const StepTimes times = TimesOfStep(true, milliseconds(25));
    least =
        std::min(least, times.whole / std::max(times.computing, times.calls));
  }
  EXPECT_LE(least, 1.15);
  // Without overlap it can't be less than the sum.
  const StepTimes times = TimesOfStep(false, milliseconds(4));
  EXPECT_GE(times.whole, times.computing + times.calls);
}

TEST(CallStreamTest, CallsInlineComeAfterThoseBefore) {
  ThreadWorld world(3, 5, microseconds(500));
  const ShardTree tree(kShards, 3);
  const auto statuses = RunRanks(world, 3, [&](Group& group) {
    CallStream stream(group);
    stream.StartTrace();
    Bucket bucket(tree, group.rank(), 0, 1000);
    SY_ASSIGN_OR_RETURN(const uint64_t ticket,
                        bucket.GiveTo(stream, tree, "x"));
    Call barrier;
    SY_RETURN_IF_ERROR(stream.Run(
        barrier, 0, [&](Group& used) { return Barrier(used, barrier); }));
    SY_RETURN_IF_ERROR(stream.Wait(ticket));
    const auto trace = stream.TakeTrace();
    EXPECT_EQ(trace.size(), 2u);
    EXPECT_TRUE(trace[1].inline_call);
    EXPECT_LE(trace[0].ended, trace[1].begun);
    return absl::OkStatus();
  });
  for (const absl::Status& status : statuses)
    EXPECT_TRUE(status.ok()) << status;
}

TEST(CallStreamTest, TheWindowBoundsWhatWaits) {
  ThreadWorld world(1);
  const auto statuses = RunRanks(world, 1, [&](Group& group) {
    std::atomic<int> running{0}, most{0};
    CallStream stream(group, {/*calls=*/3, /*bytes=*/100}, nullptr);
    std::atomic<uint64_t> given{0}, done{0};
    uint64_t last = 0;
    for (int i = 0; i < 200; ++i) {
      const uint64_t bytes = i % 3 == 0 ? 60 : 20;
      SY_ASSIGN_OR_RETURN(last, stream.Give(SumOf("x", 1), bytes, [&](Group&) {
        ++done;
        return absl::OkStatus();
      }));
      ++given;
      most = std::max<int>(most, static_cast<int>(given - done));
    }
    // One that is larger than the window runs alone.
    SY_ASSIGN_OR_RETURN(last, stream.Give(SumOf("x", 1), 1000, [&](Group&) {
      EXPECT_EQ(done.load(), 200u);
      return absl::OkStatus();
    }));
    SY_RETURN_IF_ERROR(stream.Wait(last));
    EXPECT_LE(most.load(), 3);
    return absl::OkStatus();
  });
  EXPECT_TRUE(statuses[0].ok()) << statuses[0];
}

TEST(CallStreamTest, TheFirstErrorEndsAll) {
  ThreadWorld world(2);
  const ShardTree tree(kShards, 2);
  const auto statuses = RunRanks(world, 2, [&](Group& group) {
    CallStream stream(group);
    Bucket good(tree, group.rank(), 0, 10), bad(tree, group.rank(), 1, 10),
        after(tree, group.rank(), 2, 10);
    SY_ASSIGN_OR_RETURN(const uint64_t first, good.GiveTo(stream, tree, "a"));
    SY_ASSIGN_OR_RETURN(
        const uint64_t second,
        bad.GiveTo(stream, tree, group.rank() == 0 ? "b" : "c"));
    SY_ASSIGN_OR_RETURN(const uint64_t third, after.GiveTo(stream, tree, "d"));
    const absl::Status later = stream.Wait(third);
    EXPECT_TRUE(stream.Wait(first).ok());
    EXPECT_EQ(stream.Wait(second), later);
    EXPECT_TRUE(stream.failed());
    Call barrier;
    EXPECT_EQ(stream.Run(barrier, 0,
                         [&](Group& used) { return Barrier(used, barrier); }),
              later);
    EXPECT_EQ(after.out, std::vector<float>(10));  // Nothing was written.
    return later;
  });
  for (const absl::Status& status : statuses) {
    EXPECT_TRUE(absl::IsAborted(status));
    EXPECT_THAT(status.message(), HasSubstr("all_reduce(sum) 'b' float32[10]"));
    EXPECT_THAT(status.message(), HasSubstr("all_reduce(sum) 'c' float32[10]"));
  }
}

TEST(CallStreamTest, AnInterruptEndsTheWait) {
  ThreadWorld world(1);
  const auto statuses = RunRanks(world, 1, [&](Group& group) {
    std::atomic<bool> goes_on{false};
    CallStream stream(group, {},
                      [] { return absl::AbortedError("was interrupted"); });
    SY_ASSIGN_OR_RETURN(const uint64_t ticket,
                        stream.Give(SumOf("x", 1), 4, [&](Group&) {
                          while (!goes_on) std::this_thread::yield();
                          return absl::OkStatus();
                        }));
    const absl::Status status = stream.Wait(ticket);
    goes_on = true;
    return status;
  });
  EXPECT_EQ(statuses[0], absl::AbortedError("was interrupted"));
}

}  // namespace
}  // namespace switchyard::collective
