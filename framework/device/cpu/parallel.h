// SPDX-License-Identifier: Apache-2.0
// ParallelFor: work inside a CPU kernel, shared among a team of threads. Its
// workers are thread_pool.h's, which everything in the process shares; there is
// no other team, and oneDNN's primitives run on one thread each. Threads that
// run several operators at once are the executors' business.
//
// A range is cut into chunks of `grain` elements (the last may be shorter): the
// cut depends on the range and the grain, never on the number of threads. So a
// kernel that combines one partial result per chunk, in the chunks' order,
// yields the same bits with any team.
#ifndef SWITCHYARD_FRAMEWORK_DEVICE_CPU_PARALLEL_H_
#define SWITCHYARD_FRAMEWORK_DEVICE_CPU_PARALLEL_H_

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace switchyard {

// How many chunks ParallelFor cuts [begin, end) into; 0 for an empty range. A
// grain below 1 counts as 1. Chunk i begins at begin + i * grain.
constexpr int64_t ChunkCount(int64_t begin, int64_t end, int64_t grain) {
  if (end <= begin) return 0;
  const int64_t step = grain < 1 ? 1 : grain;
  return (end - begin - 1) / step + 1;
}

// Calls fn(chunk_begin, chunk_end) once for each chunk of [begin, end), in any
// order and on any thread of the team; returns when all are done. A range of
// less than two grains, a call from inside another ParallelFor, and a call in
// a forked child run serially: the same chunks, in order, on this thread.
// `fn` must not throw. Choose a grain of 10 to 100 microseconds of work.
void ParallelFor(int64_t begin, int64_t end, int64_t grain,
                 absl::FunctionRef<void(int64_t, int64_t)> fn);

// The team size of regions that the calling thread opens; each thread has its
// own. By default OMP_NUM_THREADS, or the number of cores that the process may
// use. Values below 1 count as 1.
void SetNumThreads(int num_threads);
int NumThreads();

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_DEVICE_CPU_PARALLEL_H_
