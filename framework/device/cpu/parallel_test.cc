// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/parallel.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace switchyard {
namespace {

using Chunk = std::pair<int64_t, int64_t>;

// The chunks of a range, sorted, as a team of this size gets them.
std::vector<Chunk> ChunksOf(int64_t begin, int64_t end, int64_t grain,
                            int num_threads) {
  SetNumThreads(num_threads);
  std::mutex mutex;
  std::vector<Chunk> chunks;
  ParallelFor(begin, end, grain, [&](int64_t from, int64_t to) {
    const std::lock_guard<std::mutex> lock(mutex);
    chunks.emplace_back(from, to);
  });
  std::sort(chunks.begin(), chunks.end());
  return chunks;
}

TEST(ParallelForTest, ChunksDependOnRangeAndGrainOnly) {
  EXPECT_EQ(ChunksOf(3, 13, 4, 1),
            (std::vector<Chunk>{{3, 7}, {7, 11}, {11, 13}}));
  for (int64_t size : {0, 1, 7, 8, 9, 100, 1000}) {
    for (int64_t grain : {-1, 0, 1, 7, 8, 1000, 5000}) {
      const std::vector<Chunk> serial = ChunksOf(-5, size - 5, grain, 1);
      EXPECT_EQ(static_cast<int64_t>(serial.size()),
                ChunkCount(-5, size - 5, grain));
      for (int num_threads : {2, 3, 8}) {
        EXPECT_EQ(ChunksOf(-5, size - 5, grain, num_threads), serial);
      }
    }
  }
}

TEST(ParallelForTest, EndsOfInt64) {
  EXPECT_EQ(ChunksOf(INT64_MAX - 5, INT64_MAX, 2, 2),
            (std::vector<Chunk>{{INT64_MAX - 5, INT64_MAX - 3},
                                {INT64_MAX - 3, INT64_MAX - 1},
                                {INT64_MAX - 1, INT64_MAX}}));
  EXPECT_EQ(ChunksOf(0, 10, INT64_MAX, 2), (std::vector<Chunk>{{0, 10}}));
  EXPECT_EQ(ChunkCount(5, 3, 1), 0);
}

TEST(ParallelForTest, SumsInTheChunksOrderHaveTheSameBits) {
  std::vector<float> values(100000);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = 1.0f / static_cast<float>(i + 1);
  }
  const auto sum = [&](int num_threads) {
    SetNumThreads(num_threads);
    constexpr int64_t kGrain = 1000;
    const auto size = static_cast<int64_t>(values.size());
    std::vector<float> partial(ChunkCount(0, size, kGrain));
    ParallelFor(0, size, kGrain, [&](int64_t from, int64_t to) {
      float total = 0;
      for (int64_t i = from; i < to; ++i) total += values[i];
      partial[from / kGrain] = total;
    });
    float total = 0;
    for (float chunk : partial) total += chunk;
    return total;
  };
  const float serial = sum(1);
  for (int num_threads : {2, 3, 5}) EXPECT_EQ(sum(num_threads), serial);
}

TEST(ParallelForTest, ATeamRunsOnSeveralThreads) {
  SetNumThreads(2);
  // Each of the two chunks waits for the other: one thread could not.
  std::atomic<int> arrived{0};
  ParallelFor(0, 2, 1, [&](int64_t, int64_t) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 2);
}

TEST(ParallelForTest, SmallRangesAndNestedCallsStayOnTheThread) {
  SetNumThreads(4);
  const std::thread::id self = std::this_thread::get_id();
  ParallelFor(0, 19, 10, [&](int64_t, int64_t) {
    EXPECT_EQ(std::this_thread::get_id(), self);
  });
  std::atomic<int> calls{0};
  ParallelFor(0, 4, 1, [&](int64_t, int64_t) {
    const std::thread::id outer = std::this_thread::get_id();
    ParallelFor(0, 8, 1, [&](int64_t, int64_t) {
      EXPECT_EQ(std::this_thread::get_id(), outer);
      ++calls;
    });
  });
  EXPECT_EQ(calls, 32);
}

TEST(ParallelForTest, AChunkWithoutMemoryEndsTheCallAndNotTheProcess) {
  for (int num_threads : {1, 2, 4}) {
    SetNumThreads(num_threads);
    EXPECT_THROW(ParallelFor(0, 100, 1,
                             [](int64_t from, int64_t) {
                               if (from % 10 == 7) throw std::bad_alloc();
                             }),
                 std::bad_alloc);
    EXPECT_EQ(ChunksOf(0, 100, 10, num_threads).size(), 10u);
  }
}

TEST(ParallelForTest, TeamSizesAreTheThreadsOwn) {
  SetNumThreads(3);
  EXPECT_EQ(NumThreads(), 3);
  SetNumThreads(0);
  EXPECT_EQ(NumThreads(), 1);
  SetNumThreads(2);
  std::thread([] {
    SetNumThreads(5);
    EXPECT_EQ(NumThreads(), 5);
  }).join();
  EXPECT_EQ(NumThreads(), 2);
}

TEST(ParallelForTest, ThreadsOpenRegionsAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int64_t> total{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      SetNumThreads(2);
      for (int i = 0; i < 50; ++i) {
        ParallelFor(0, 100, 10,
                    [&](int64_t from, int64_t to) { total += to - from; });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(total, 4 * 50 * 100);
}

TEST(ParallelForTest, AForkedChildRunsSerially) {
  SetNumThreads(2);
  ParallelFor(0, 100, 1, [](int64_t, int64_t) {});
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::thread::id self = std::this_thread::get_id();
    bool serial = NumThreads() == 1;
    int64_t total = 0;
    ParallelFor(0, 100, 1, [&](int64_t from, int64_t to) {
      serial = serial && std::this_thread::get_id() == self;
      total += to - from;
    });
    _exit(serial && total == 100 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  // The parent keeps its team.
  EXPECT_EQ(NumThreads(), 2);
}

}  // namespace
}  // namespace switchyard
