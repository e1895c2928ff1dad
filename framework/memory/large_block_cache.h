// SPDX-License-Identifier: Apache-2.0
// LargeBlockCache: freed large blocks of the CPU's allocator.
#ifndef SWITCHYARD_FRAMEWORK_MEMORY_LARGE_BLOCK_CACHE_H_
#define SWITCHYARD_FRAMEWORK_MEMORY_LARGE_BLOCK_CACHE_H_

#include <cstddef>
#include <mutex>

namespace switchyard {

// Keeps freed blocks that are too large for the threads' caches of the CPU's
// allocator, for the next caller. The system takes large blocks back as soon as
// they are freed, and gives them out again a page fault at a time, which costs
// more than most kernels over them.
//
// One for all threads. No thread waits for it: while another thread uses it,
// Take() finds nothing and Keep() refuses, so a child that is forked meanwhile
// does not hang either.
// Capacities come in eight steps a power of two, so at most an eighth is
// wasted.
class LargeBlockCache {
 public:
  // Keeps at most `limit` bytes of capacity.
  explicit LargeBlockCache(size_t limit) : limit_(limit) {}
  ~LargeBlockCache() { Clear(); }
  LargeBlockCache(const LargeBlockCache&) = delete;
  LargeBlockCache& operator=(const LargeBlockCache&) = delete;

  // Returns the least capacity of the steps that holds `bytes` (64 KiB at
  // least; at most 2^62). Blocks are allocated, kept and looked up by this
  // capacity.
  static size_t CapacityFor(size_t bytes);

  // Returns a kept block of this capacity, contents unspecified; null if there
  // is none.
  void* Take(size_t capacity);
  // Keeps a block from aligned_alloc and returns true; false if the caller must
  // free it.
  bool Keep(void* block, size_t capacity);
  // Frees all.
  void Clear();

  size_t kept_bytes() const;

 private:
  static constexpr size_t kSmallestPower = 16;
  static constexpr size_t kClasses = (63 - kSmallestPower) * 8;
  struct FreeBlock {
    FreeBlock* next;
  };
  static size_t SizeClass(size_t capacity);

  const size_t limit_;
  mutable std::mutex mutex_;
  size_t kept_ = 0;
  FreeBlock* free_[kClasses] = {};
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_MEMORY_LARGE_BLOCK_CACHE_H_
