// SPDX-License-Identifier: Apache-2.0
// The CPU's allocator. Blocks are 64-byte aligned; small ones (to 64 KiB) are
// kept in a thread-local cache by power of two, larger ones in a bounded cache
// of all threads (large_block_cache.h); sizes are checked. The fault-injecting
// allocator for tests is framework/memory/fault_injecting_allocator.h.
#ifndef SWITCHYARD_FRAMEWORK_MEMORY_CPU_ALLOCATOR_H_
#define SWITCHYARD_FRAMEWORK_MEMORY_CPU_ALLOCATOR_H_

#include "framework/memory/buffer.h"

namespace switchyard {

// Returns the allocator, which lives as long as the process.
Allocator& CpuAllocator();

// Returns memory for a small object that is made and destroyed all the time,
// out of the same cache of the thread; CpuMemoryUse does not count it. Throws
// std::bad_alloc. Freed with the same size, in any thread.
void* NewObjectBlock(size_t bytes);
void DeleteObjectBlock(void* block, size_t bytes);

// Counts the bytes and blocks that CpuAllocator() gave out and has not got
// back, over all threads, without cached blocks. For leak tests and memory
// reports. The peak may miss up to 1 MiB of a thread's small blocks.
struct CpuMemoryUse {
  int64_t bytes;
  int64_t blocks;
  int64_t peak_bytes;
};
CpuMemoryUse CurrentCpuMemoryUse();

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_MEMORY_CPU_ALLOCATOR_H_
