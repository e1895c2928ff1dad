// SPDX-License-Identifier: Apache-2.0
#include "framework/memory/cpu_allocator.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>

#include "absl/base/config.h"
#include "framework/memory/large_block_cache.h"

namespace switchyard {
namespace {

constexpr size_t kAlignment = 64;
// The Buffer's place, right before the data.
constexpr size_t kHeader = 64;
// Cached blocks hold 64 << c bytes of data, c < kClasses: 64 bytes to 64 KiB.
constexpr int kClasses = 11;
constexpr size_t kLargestCached = kAlignment << (kClasses - 1);
// A thread keeps at most this many bytes of one class.
constexpr size_t kCachedBytesPerClass = size_t{256} << 10;
constexpr size_t kCachedBlocksPerClass = 64;

#ifdef ABSL_HAVE_ADDRESS_SANITIZER
// A cached block would hide the use of freed memory.
constexpr bool kCaching = false;
#else
constexpr bool kCaching = true;
#endif

int ClassOf(size_t bytes) {
  if (bytes <= kAlignment) return 0;
  return 64 - __builtin_clzll((bytes - 1) / kAlignment);
}

constexpr size_t CapacityOf(int size_class) { return kAlignment << size_class; }

constexpr size_t LimitOf(int size_class) {
  return std::min(kCachedBlocksPerClass,
                  kCachedBytesPerClass / CapacityOf(size_class));
}

// A free block: the link stands where the Buffer was.
struct FreeBlock {
  FreeBlock* next;
};

// One thread's free blocks. Trivial, so that touching it costs no guard; the
// key's destructor gives the blocks back when the thread ends.
struct ThreadCache {
  enum State : uint8_t { kNew, kOpen, kClosed };
  FreeBlock* free[kClasses];
  uint32_t count[kClasses];
  State state;
};
thread_local ThreadCache thread_cache;

void CloseThreadCache(void* cache_address) {
  auto* cache = static_cast<ThreadCache*>(cache_address);
  // Blocks that die later in this thread's end go straight to free().
  cache->state = ThreadCache::kClosed;
  for (FreeBlock*& list : cache->free) {
    while (list != nullptr) std::free(std::exchange(list, list->next));
  }
}

// True if this thread may cache; arranges for the end of the thread once.
bool OpenThreadCache() {
  if (!kCaching) return false;
  if (thread_cache.state == ThreadCache::kOpen) return true;
  if (thread_cache.state == ThreadCache::kClosed) return false;
  struct ThreadEndKey {
    ThreadEndKey() : made(pthread_key_create(&key, &CloseThreadCache) == 0) {}
    pthread_key_t key;
    bool made;
  };
  static const ThreadEndKey end;
  const bool arranged =
      end.made && pthread_setspecific(end.key, &thread_cache) == 0;
  thread_cache.state = arranged ? ThreadCache::kOpen : ThreadCache::kClosed;
  return arranged;
}

// What is in use, over all threads.
std::atomic<int64_t> used_bytes{0};
std::atomic<int64_t> used_blocks{0};
std::atomic<int64_t> peak_bytes{0};

void CountAllocation(size_t bytes) {
  const auto size = static_cast<int64_t>(bytes);
  used_blocks.fetch_add(1, std::memory_order_relaxed);
  const int64_t now =
      used_bytes.fetch_add(size, std::memory_order_relaxed) + size;
  int64_t peak = peak_bytes.load(std::memory_order_relaxed);
  while (now > peak && !peak_bytes.compare_exchange_weak(
                           peak, now, std::memory_order_relaxed)) {
  }
}

void CountDeallocation(size_t bytes) {
  used_blocks.fetch_sub(1, std::memory_order_relaxed);
  used_bytes.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed);
}

size_t PhysicalMemory() {
  static const size_t bytes = [] {
    const long pages = sysconf(_SC_PHYS_PAGES);     // NOLINT: its type
    const long page_size = sysconf(_SC_PAGE_SIZE);  // NOLINT: its type
    // Where the system doesn't tell, malloc alone decides.
    if (pages <= 0 || page_size <= 0) return SIZE_MAX / 4;
    return static_cast<size_t>(pages) * static_cast<size_t>(page_size);
  }();
  return bytes;
}

absl::Status NoMemory(size_t bytes, const std::string& why) {
  return absl::ResourceExhaustedError("memory: allocation of " +
                                      std::to_string(bytes) + " bytes " + why);
}

absl::StatusOr<void*> NewBlock(size_t bytes, size_t capacity) {
  void* const block = std::aligned_alloc(kAlignment, kHeader + capacity);
  if (block == nullptr) {
    return NoMemory(bytes, "must fit in the memory left, got none");
  }
  return block;
}

// Never destroyed: tensors may die after everything else.
LargeBlockCache& LargeBlocks() {
  static LargeBlockCache* const cache =
      new LargeBlockCache(std::min(PhysicalMemory() / 16, size_t{1} << 30));
  return *cache;
}

absl::StatusOr<void*> LargeBlock(size_t bytes) {
  // The system would promise more than it has and kill the process later.
  const size_t most = PhysicalMemory();
  if (bytes > most) {
    return NoMemory(bytes, "must be at most the " + std::to_string(most) +
                               " bytes of this machine");
  }
  const size_t capacity = LargeBlockCache::CapacityFor(bytes);
  void* const kept = kCaching ? LargeBlocks().Take(capacity) : nullptr;
  if (kept != nullptr) return kept;
  auto fresh = NewBlock(bytes, capacity);
  if (fresh.ok()) return fresh;
  LargeBlocks().Clear();
  return NewBlock(bytes, capacity);
}

void FreeLargeBlock(void* block, size_t bytes) {
  const size_t capacity = LargeBlockCache::CapacityFor(bytes);
  if (!kCaching || !LargeBlocks().Keep(block, capacity)) std::free(block);
}

absl::StatusOr<void*> SmallBlock(size_t bytes) {
  const int size_class = ClassOf(bytes);
  FreeBlock*& list = thread_cache.free[size_class];
  if (list == nullptr) return NewBlock(bytes, CapacityOf(size_class));
  --thread_cache.count[size_class];
  return std::exchange(list, list->next);
}

void FreeSmallBlock(void* block, int size_class) {
  uint32_t& count = thread_cache.count[size_class];
  if (count >= LimitOf(size_class) || !OpenThreadCache()) {
    std::free(block);
    return;
  }
  FreeBlock*& list = thread_cache.free[size_class];
  list = new (block) FreeBlock{list};
  ++count;
}

class CachingAllocator final : public Allocator {
 public:
  absl::StatusOr<RefPtr<Buffer>> Allocate(size_t bytes) override {
    SY_ASSIGN_OR_RETURN(void* const block, bytes <= kLargestCached
                                               ? SmallBlock(bytes)
                                               : LargeBlock(bytes));
    CountAllocation(bytes);
    return RefPtr<Buffer>::Adopt(new (block) Buffer(
        this, static_cast<char*>(block) + kHeader, bytes, Place::Cpu()));
  }

  Place place() const override { return Place::Cpu(); }

 private:
  void Deallocate(Buffer* buffer) override {
    const size_t bytes = buffer->size();
    CountDeallocation(bytes);
    buffer->~Buffer();
    // The Buffer stands at the block's beginning.
    if (bytes <= kLargestCached) {
      FreeSmallBlock(buffer, ClassOf(bytes));
    } else {
      FreeLargeBlock(buffer, bytes);
    }
  }
};

}  // namespace

Allocator& CpuAllocator() {
  // Never destroyed: tensors may die after everything else.
  static CachingAllocator* const allocator = new CachingAllocator;
  return *allocator;
}

CpuMemoryUse CurrentCpuMemoryUse() {
  return {used_bytes.load(std::memory_order_relaxed),
          used_blocks.load(std::memory_order_relaxed),
          peak_bytes.load(std::memory_order_relaxed)};
}

}  // namespace switchyard
