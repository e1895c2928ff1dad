// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/thread_pool.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "framework/device/cpu/float_control.h"
#include "framework/device/cpu/parallel.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

// Waits until `condition` holds, and lets other threads have the core.
template <typename Condition>
void WaitFor(const Condition& condition) {
  while (!condition()) std::this_thread::yield();
}

// A region of two in which a worker has begun and stays until it is released.
class BusyWorker {
 public:
  BusyWorker()
      : opener_([this] {
          RunOnTeam(2, [this](int number) {
            if (number > 0) worker_ = number;
            WaitFor([this] { return worker_ > 0 && released_; });
          });
          joined_ = true;
        }) {
    WaitFor([this] { return worker_ > 0; });
  }
  ~BusyWorker() { Release(); }
  void Release() {
    released_ = true;
    if (opener_.joinable()) opener_.join();
  }
  int worker() const { return worker_; }
  bool joined() const { return joined_; }

 private:
  std::atomic<int> worker_{0};
  std::atomic<bool> released_{false}, joined_{false};
  std::thread opener_;
};

TEST(RunOnTeamTest, OfOneIsACall) {
  int calls = 0;
  RunOnTeam(1, [&](int number) {
    EXPECT_EQ(number, 0);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
}

TEST(RunOnTeamTest, AWorkerThatIsHeldUpElsewhereIsNotWaitedFor) {
  // Every worker that the pool may have for teams of two.
  std::vector<std::unique_ptr<BusyWorker>> busy;
  std::set<int> held;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  for (int i = 0; i < std::max(1, cores - 1); ++i) {
    busy.push_back(std::make_unique<BusyWorker>());
    held.insert(busy.back()->worker());
  }
  EXPECT_EQ(held.size(), busy.size());
  SetNumThreads(2);
  for (int i = 0; i < 100; ++i) {
    int64_t total = 0;  // All chunks are this thread's.
    ParallelFor(0, 1000, 10,
                [&](int64_t from, int64_t to) { total += to - from; });
    EXPECT_EQ(total, 1000);
  }
}

TEST(RunOnTeamTest, AWorkerThatHasBegunIsWaitedFor) {
  BusyWorker busy;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(busy.joined());
  busy.Release();
  EXPECT_TRUE(busy.joined());
}

TEST(RunOnTeamTest, SleepersAreWoken) {
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic<int> arrived{0};
    RunOnTeam(2, [&](int) {
      ++arrived;
      WaitFor([&] { return arrived == 2; });
    });
    EXPECT_EQ(arrived, 2);
  }
}

TEST(RunOnTeamTest, NoMoreThanTheTeamComes) {
  SetNumThreads(8);  // Workers for the next ones.
  ParallelFor(0, 64, 1, [](int64_t, int64_t) {});
  for (int team : {2, 3, 4}) {
    for (int i = 0; i < 200; ++i) {
      std::atomic<int> members{0};
      RunOnTeam(team, [&](int) {
        ++members;
        for (int spin = 0; spin < 2000; ++spin) {
          if (members == team) break;
        }
      });
      EXPECT_GE(members, 1);
      EXPECT_LE(members, team);
    }
  }
}

TEST(RunOnTeamTest, ManyOpenersAtOnce) {
  // More than there is room for: the rest run alone.
  std::vector<std::thread> openers;
  std::atomic<int64_t> total{0};
  for (int t = 0; t < 80; ++t) {
    openers.emplace_back([&] {
      SetNumThreads(3);
      for (int i = 0; i < 20; ++i) {
        ParallelFor(0, 50, 5,
                    [&](int64_t from, int64_t to) { total += to - from; });
      }
    });
  }
  for (std::thread& opener : openers) opener.join();
  EXPECT_EQ(total, 80 * 20 * 50);
}

TEST(RunOnTeamTest, WorkersBlockSignals) {
  std::atomic<int> arrived{0};
  std::atomic<bool> blocked{false};
  RunOnTeam(2, [&](int number) {
    if (number > 0) {
      sigset_t mask;
      pthread_sigmask(SIG_SETMASK, nullptr, &mask);
      blocked = sigismember(&mask, SIGINT) == 1;
    }
    ++arrived;
    WaitFor([&] { return arrived == 2; });
  });
  EXPECT_TRUE(blocked);
}

// Half of the smallest normal number on a worker, as float.
float HalfOnAWorker() {
  std::atomic<int> arrived{0};
  volatile float smallest = std::numeric_limits<float>::min();
  std::atomic<float> half{-1};
  RunOnTeam(2, [&](int number) {
    if (number > 0) half = smallest / 2;
    ++arrived;
    WaitFor([&] { return arrived == 2; });
  });
  return half;
}

TEST(DenormalsFlushedTest, HoldsForWorkersAndIsRestored) {
  volatile float smallest = std::numeric_limits<float>::min();
  EXPECT_GT(smallest / 2, 0);
  EXPECT_GT(HalfOnAWorker(), 0);
  {
    const DenormalsFlushed flushed;
    EXPECT_EQ(smallest / 2, 0);
    EXPECT_EQ(HalfOnAWorker(), 0);
    {
      const DenormalsFlushed not_flushed(false);
      EXPECT_EQ(smallest / 2, 0);  // As before.
    }
    EXPECT_EQ(smallest / 2, 0);
  }
  EXPECT_GT(smallest / 2, 0);
  EXPECT_GT(HalfOnAWorker(), 0);
}

}  // namespace
}  // namespace switchyard
