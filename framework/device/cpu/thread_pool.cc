// SPDX-License-Identifier: Apache-2.0
#include "framework/device/cpu/thread_pool.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <mutex>

#include "framework/device/cpu/float_control.h"

namespace switchyard {
namespace {

using Job = absl::FunctionRef<void(int)>;

// A waiting thread looks for this long before it sleeps: longer than what lies
// between two operators of a program, shorter than what a sleeper would notice.
constexpr std::chrono::microseconds kSpin{60};

int Cores() {
  cpu_set_t set;
  const bool known = sched_getaffinity(0, sizeof(set), &set) == 0;
  return known ? std::max(CPU_COUNT(&set), 1) : 1;
}

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

// Returns true as soon as `done` does, false if it does not within kSpin. On a
// single core what is waited for can't happen meanwhile.
template <typename Done>
bool Spin(const Done& done) {
  using Clock = std::chrono::steady_clock;
  static const bool one_core = Cores() < 2;
  if (done()) return true;
  if (one_core) return false;
  const auto end = Clock::now() + kSpin;
  do {
    for (int i = 0; i < 16; ++i) {
      if (done()) return true;
      Pause();
    }
  } while (Clock::now() < end);
  return false;
}

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t),
              "the kernel waits on the number itself");

// Sleeps unless `word` is no longer `seen`. May return early.
void Sleep(std::atomic<uint32_t>* word, uint32_t seen) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

void Wake(std::atomic<uint32_t>* word, int sleepers) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, sleepers, nullptr, nullptr, 0);
}

// A region, or room for one. Never freed, so that a worker may look at one
// whose region has ended.
struct alignas(64) Region {
  // Places for workers that are free, and above them how many have entered.
  // Only who has entered may read `job` and `control`.
  static constexpr uint32_t kEntered = 1u << 16;
  std::atomic<uint32_t> places{0};
  std::atomic<uint32_t> left{0};  // Of those that entered.
  std::atomic<bool> opener_sleeps{false};
  const Job* job = nullptr;
  uint32_t control = 0;
  alignas(64) std::atomic<bool> taken{false};  // By an opener.

  // Takes a place; false if none is free. `last`: there is no other.
  bool Enter(bool* last) {
    uint32_t seen = places.load(std::memory_order_relaxed);
    while (seen % kEntered != 0) {
      if (places.compare_exchange_weak(seen, seen - 1 + kEntered,
                                       std::memory_order_acq_rel,
                                       std::memory_order_relaxed)) {
        *last = seen % kEntered == 1;
        return true;
      }
    }
    return false;
  }

  void Leave() {
    left.fetch_add(1, std::memory_order_seq_cst);
    if (opener_sleeps.load(std::memory_order_seq_cst)) Wake(&left, INT_MAX);
  }

  // Returns when those that entered have left; nobody enters any more.
  void Join() {
    const uint32_t entered =
        places.exchange(0, std::memory_order_acq_rel) / kEntered;
    const auto all_left = [&] {
      return left.load(std::memory_order_acquire) == entered;
    };
    if (!Spin(all_left)) {
      opener_sleeps.store(true, std::memory_order_seq_cst);
      for (;;) {
        const uint32_t seen = left.load(std::memory_order_seq_cst);
        if (seen == entered) break;
        Sleep(&left, seen);
      }
      opener_sleeps.store(false, std::memory_order_relaxed);
    }
    left.store(0, std::memory_order_relaxed);
  }
};

class Workers {
 public:
  static Workers& Current() {
    static Workers* const workers = new Workers;
    return *workers;
  }

  void Run(int team, const Job& job) {
    const int wanted = team - 1;
    Region* const region = TakeRegion();
    if (region == nullptr) return job(0);
    const int together = wanted_.fetch_add(wanted) + wanted;
    if (together > count_.load(std::memory_order_relaxed)) {
      Start(std::min(together, std::max(wanted, Cores() - 1)));
    }
    Open(region, wanted, job);
    job(0);
    Close(region);
    region->Join();
    wanted_.fetch_sub(wanted);
    region->taken.store(false, std::memory_order_release);
  }

 private:
  static constexpr int kRegions = 64;  // One bit each.

  // Returns a region for the calling thread, or null if all are open.
  Region* TakeRegion() {
    thread_local int last = 0;
    for (int i = 0; i < kRegions; ++i) {
      const int number = (last + i) % kRegions;
      Region& region = regions_[number];
      if (!region.taken.load(std::memory_order_relaxed) &&
          !region.taken.exchange(true, std::memory_order_acquire)) {
        last = number;
        return &region;
      }
    }
    return nullptr;
  }

  uint64_t BitOf(const Region* region) const {
    return uint64_t{1} << (region - regions_);
  }

  void Open(Region* region, int places, const Job& job) {
    region->job = &job;
    region->control = FloatControl();
    region->places.store(places, std::memory_order_release);
    open_.fetch_or(BitOf(region), std::memory_order_seq_cst);
    // A worker that goes to sleep counts itself before it looks at `open_` for
    // the last time: it sees the region, or is counted here.
    const int sleepers = sleepers_.load(std::memory_order_seq_cst);
    if (sleepers == 0) return;
    signal_.fetch_add(1, std::memory_order_seq_cst);
    Wake(&signal_, std::min(sleepers, places));
  }

  // Workers look for a place in it no longer.
  void Close(const Region* region) {
    open_.fetch_and(~BitOf(region), std::memory_order_relaxed);
  }

  // Starts workers up to `count`, fewer if the system has no thread to give.
  void Start(int count) {
    const std::lock_guard<std::mutex> lock(starting_);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    while (count_.load(std::memory_order_relaxed) < count) {
      pthread_t thread;
      if (pthread_create(&thread, &detached, &Main, nullptr) != 0) break;
      count_.fetch_add(1, std::memory_order_relaxed);
    }
    pthread_attr_destroy(&detached);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  static void* Main(void*) {
    Workers& workers = Current();
    const int number = workers.numbers_.fetch_add(1) + 1;
    for (;;) {
      workers.WaitForRegion();
      workers.Help(number);
    }
    return nullptr;
  }

  void WaitForRegion() {
    const auto some = [this] {
      return open_.load(std::memory_order_acquire) != 0;
    };
    while (!Spin(some)) {
      const uint32_t seen = signal_.load(std::memory_order_seq_cst);
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      if (open_.load(std::memory_order_seq_cst) == 0) Sleep(&signal_, seen);
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
    }
  }

  // Takes part in the open regions, beginning at one of the worker's own, so
  // that workers spread.
  void Help(int number) {
    const uint64_t open = open_.load(std::memory_order_acquire);
    for (int i = 0; i < kRegions; ++i) {
      Region& region = regions_[(number + i) % kRegions];
      bool last = false;
      if ((open & BitOf(&region)) == 0 || !region.Enter(&last)) continue;
      if (last) Close(&region);
      if (FloatControl() != region.control) SetFloatControl(region.control);
      (*region.job)(number);
      // Nothing of the job is unclaimed: nobody needs to come any more.
      Close(&region);
      region.Leave();
    }
  }

  alignas(64) std::atomic<uint64_t> open_{0};  // Regions with places.
  alignas(64) std::atomic<int> sleepers_{0};
  std::atomic<uint32_t> signal_{0};         // What workers sleep on.
  alignas(64) std::atomic<int> wanted_{0};  // By all open regions.
  std::atomic<int> count_{0};
  std::atomic<int> numbers_{0};  // That workers have.
  std::mutex starting_;
  Region regions_[kRegions];
};

}  // namespace

void RunOnTeam(int team, Job job) {
  if (team < 2) return job(0);
  Workers::Current().Run(team, job);
}

}  // namespace switchyard
