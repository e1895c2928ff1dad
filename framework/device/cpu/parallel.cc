// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/parallel.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>

#include "framework/device/cpu/thread_pool.h"

namespace switchyard {
namespace {

// After fork() only the forking thread lives on, without workers.
std::atomic<bool> forked_child{false};

// True while this thread runs chunks of some region.
thread_local bool inside_region = false;

// The team size that this thread asked for; 0 before it did.
thread_local int team_size = 0;

void WatchForks() {
  static const int watched = pthread_atfork(nullptr, nullptr, [] {
    forked_child.store(true, std::memory_order_relaxed);
  });
  static_cast<void>(watched);
}

int DefaultTeamSize() {
  const char* const asked = std::getenv("OMP_NUM_THREADS");
  const int number = asked != nullptr ? std::atoi(asked) : 0;
  if (number > 0) return number;
  cpu_set_t cores;
  const bool known = sched_getaffinity(0, sizeof(cores), &cores) == 0;
  return known ? std::max(CPU_COUNT(&cores), 1) : 1;
}

struct Chunks {
  int64_t begin;
  int64_t end;
  int64_t grain;
  int64_t count;
  absl::FunctionRef<void(int64_t, int64_t)> fn;

  void Run(int64_t chunk) const {
    const int64_t from = begin + chunk * grain;
    // Not from + grain: that may leave int64.
    fn(from, end - from > grain ? from + grain : end);
  }
};

void RunSerially(const Chunks& chunks) {
  for (int64_t i = 0; i < chunks.count; ++i) chunks.Run(i);
}

// The chunks in consecutive shares, one a thread: from call to call a thread
// meets the same memory, whose pages its core still knows. A thread that is
// done with its own takes from the others', so each share gets done though
// nobody may come for it.
class Shares {
 public:
  Shares(const Chunks& chunks, int team)
      : chunks_(chunks), count_(std::min(team, kMax)) {
    const int64_t each = chunks.count / count_, more = chunks.count % count_;
    int64_t begin = 0;
    for (int i = 0; i < count_; ++i) {
      shares_[i].next.store(begin, std::memory_order_relaxed);
      shares_[i].end = begin += each + (i < more ? 1 : 0);
    }
  }

  // Chunks must not throw; one whose memory runs out does all the same. No
  // exception may leave a thread of the team, so it waits for RethrowFailure().
  void Run(int thread) {
    inside_region = true;
    try {
      RunChunks(thread);
    } catch (...) {
      if (!failed_.exchange(true)) failure_ = std::current_exception();
    }
    inside_region = false;
  }

  // Once all threads are done: what the first failed chunk threw, if one did.
  void RethrowFailure() {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  void RunChunks(int thread) {
    // Workers' numbers are the pool's: each has a share that isn't the
    // caller's.
    const int own = thread == 0 ? 0 : 1 + (thread - 1) % (count_ - 1);
    for (int i = 0; i < count_; ++i) {
      Share& share = shares_[(own + i) % count_];
      for (;;) {
        const int64_t chunk =
            share.next.fetch_add(1, std::memory_order_relaxed);
        if (chunk >= share.end) break;
        chunks_.Run(chunk);
      }
    }
  }

  static constexpr int kMax = 64;
  struct alignas(64) Share {
    std::atomic<int64_t> next;
    int64_t end;
  };

  const Chunks& chunks_;
  int count_;
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;
  Share shares_[kMax];
};

void RunInShares(const Chunks& chunks, int team) {
  Shares shares(chunks, team);
  RunOnTeam(team, [&shares](int thread) { shares.Run(thread); });
  shares.RethrowFailure();
}

}  // namespace

void ParallelFor(int64_t begin, int64_t end, int64_t grain,
                 absl::FunctionRef<void(int64_t, int64_t)> fn) {
  const Chunks chunks = {begin, end, std::max<int64_t>(grain, 1),
                         ChunkCount(begin, end, grain), fn};
  // A range of less than two grains: one whole chunk and less than another.
  const bool small =
      chunks.count < 2 || end - begin - chunks.grain < chunks.grain;
  const int team = small || inside_region ? 1 : NumThreads();
  if (team == 1) {
    RunSerially(chunks);
    return;
  }
  WatchForks();
  RunInShares(chunks, static_cast<int>(std::min<int64_t>(team, chunks.count)));
}

void SetNumThreads(int num_threads) { team_size = std::max(num_threads, 1); }

int NumThreads() {
  if (forked_child.load(std::memory_order_relaxed)) return 1;
  static const int by_default = DefaultTeamSize();
  return team_size > 0 ? team_size : by_default;
}

}  // namespace switchyard
