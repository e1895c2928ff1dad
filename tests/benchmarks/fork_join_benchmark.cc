// SPDX-License-Identifier: Apache-2.0
// Measures what it costs to share work between two threads: by our pool, by
// libgomp, and by pools that FORK_JOIN_PEERS compiles in (peers/fork_join.sh).
// Each case gives the median and the 90th percentile of single calls.
//
// Work is cut into eight chunks of N microseconds; without any, what is left is
// the fork and the join.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "benchmark/benchmark.h"
#include "framework/device/cpu/parallel.h"

#ifdef FORK_JOIN_PEERS
#include <pthreadpool.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

namespace switchyard {
namespace {

constexpr int kChunks = 8;
using Clock = std::chrono::steady_clock;

// A multiplication after another, for about so long on an idle core.
void Work(double microseconds) {
  constexpr double kMultiplications = 1000;  // A microsecond.
  volatile double start = 1.0000001;
  double x = start;
  const auto count = static_cast<int64_t>(microseconds * kMultiplications);
  for (int64_t i = 0; i < count; ++i) x *= start;
  benchmark::DoNotOptimize(x);
}

void ByPool(double microseconds) {
  ParallelFor(0, kChunks, 1, [&](int64_t from, int64_t to) {
    for (; from < to; ++from) Work(microseconds);
  });
}

void ByLibgomp(double microseconds) {
#pragma omp parallel for num_threads(2) schedule(static)
  for (int i = 0; i < kChunks; ++i) Work(microseconds);
}

#ifdef FORK_JOIN_PEERS
void ByPthreadpool(double microseconds) {
  static pthreadpool_t pool = pthreadpool_create(2);
  pthreadpool_parallelize_1d(
      pool,
      [](void* argument, size_t) { Work(*static_cast<double*>(argument)); },
      &microseconds, kChunks, 0);
}

void ByTbb(double microseconds) {
  static tbb::task_arena arena(2);
  arena.execute([&] {
    tbb::parallel_for(
        0, kChunks, [&](int) { Work(microseconds); },
        tbb::static_partitioner());
  });
}
#endif

template <void (*Share)(double)>
void BM_ForkJoin(benchmark::State& state) {
  SetNumThreads(2);
  const auto microseconds = static_cast<double>(state.range(0));
  for (int i = 0; i < 1000; ++i) Share(0);
  std::vector<double> times;
  for (auto _ : state) {
    const auto begin = Clock::now();
    Share(microseconds);
    const std::chrono::duration<double, std::micro> spent =
        Clock::now() - begin;
    times.push_back(spent.count());
    state.SetIterationTime(spent.count() / 1e6);
  }
  std::sort(times.begin(), times.end());
  state.counters["median_us"] = times[times.size() / 2];
  state.counters["p90_us"] = times[times.size() * 9 / 10];
}

#define FORK_JOIN(share)                 \
  BENCHMARK_TEMPLATE(BM_ForkJoin, share) \
      ->Arg(0)                           \
      ->Arg(5)                           \
      ->Arg(50)                          \
      ->UseManualTime()                  \
      ->Iterations(1000)

FORK_JOIN(ByPool);
FORK_JOIN(ByLibgomp);
#ifdef FORK_JOIN_PEERS
FORK_JOIN(ByPthreadpool);
FORK_JOIN(ByTbb);
#endif

}  // namespace
}  // namespace switchyard
