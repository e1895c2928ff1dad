// SPDX-License-Identifier: Apache-2.0
#include "framework/memory/cpu_allocator.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "absl/base/config.h"
#include "absl/base/optimization.h"
#include "framework/memory/large_block_cache.h"
#include "framework/memory/memory_meter.h"

namespace switchyard {
namespace {

constexpr size_t kAlignment = 64;
// The Buffer's place, right before the data.
constexpr size_t kHeader = 64;
// Cached blocks hold 64 << c bytes of data, c < kClasses: 64 bytes to 64 KiB.
constexpr int kClasses = 11;
constexpr size_t kLargestCached = kAlignment << (kClasses - 1);
// A thread keeps at most this many bytes of one class, and this many blocks: a
// graph of gradients frees some hundred nodes at once.
constexpr size_t kCachedBytesPerClass = size_t{256} << 10;
constexpr size_t kCachedBlocksPerClass = 512;

#ifdef ABSL_HAVE_ADDRESS_SANITIZER
// A cached block would hide the use of freed memory.
constexpr bool kCaching = false;
#else
constexpr bool kCaching = true;
#endif

int SizeClass(size_t bytes) {
  if (bytes <= kAlignment) return 0;
  return 64 - __builtin_clzll((bytes - 1) / kAlignment);
}

constexpr size_t CapacityOf(int size_class) { return kAlignment << size_class; }

constexpr uint32_t LimitOf(int size_class) {
  return static_cast<uint32_t>(std::min(
      kCachedBlocksPerClass, kCachedBytesPerClass / CapacityOf(size_class)));
}
constexpr uint32_t kLimits[kClasses] = {
    LimitOf(0), LimitOf(1), LimitOf(2), LimitOf(3), LimitOf(4), LimitOf(5),
    LimitOf(6), LimitOf(7), LimitOf(8), LimitOf(9), LimitOf(10)};

// A free block: the link stands where the Buffer was.
struct FreeBlock {
  FreeBlock* next;
};

// One thread's free blocks, and what it allocated less what it freed. Trivial,
// so that touching it costs no guard; the key's destructor gives the blocks
// back when the thread ends. Only its thread writes it; the counts are read by
// others.
struct ThreadCache {
  enum State : uint8_t { kNew, kOpen, kClosed };
  FreeBlock* free[kClasses];
  uint32_t count[kClasses];
  State state;
  // Not yet in used_bytes and used_blocks.
  std::atomic<int64_t> bytes;
  std::atomic<int64_t> blocks;
  // Neighbours in the list of open caches.
  ThreadCache* next;
  ThreadCache* previous;
  MemoryMeter* meter;  // Null, or what counts for this thread.
};
thread_local ThreadCache thread_cache;

// Count the memory in use, over all threads, except what open caches count.
std::atomic<int64_t> used_bytes{0};
std::atomic<int64_t> used_blocks{0};
std::atomic<int64_t> peak_bytes{0};

// The open caches. Never destroyed: threads may end after everything else.
struct CacheList {
  std::mutex mutex;
  ThreadCache* first = nullptr;
};
CacheList& OpenCaches() {
  static CacheList* const list = new CacheList;
  return *list;
}

// A thread counts by itself up to this many bytes: a counter that all threads
// write would cost more than the rest of an allocation.
constexpr int64_t kCountedByThread = int64_t{1} << 20;

void RaisePeak(int64_t now) {
  int64_t peak = peak_bytes.load(std::memory_order_relaxed);
  while (now > peak && !peak_bytes.compare_exchange_weak(
                           peak, now, std::memory_order_relaxed)) {
  }
}

// Hands over what `cache` counted; under the lock of OpenCaches().
void FlushCounts(ThreadCache* cache) {
  const int64_t bytes = cache->bytes.exchange(0, std::memory_order_relaxed);
  const int64_t blocks = cache->blocks.exchange(0, std::memory_order_relaxed);
  used_blocks.fetch_add(blocks, std::memory_order_relaxed);
  RaisePeak(used_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes);
}

void CloseThreadCache(void* cache_address) {
  auto* cache = static_cast<ThreadCache*>(cache_address);
  {
    CacheList& open = OpenCaches();
    const std::lock_guard<std::mutex> lock(open.mutex);
    (cache->previous != nullptr ? cache->previous->next : open.first) =
        cache->next;
    if (cache->next != nullptr) cache->next->previous = cache->previous;
    FlushCounts(cache);
  }
  // Blocks that die later in this thread's end go straight to free().
  cache->state = ThreadCache::kClosed;
  for (FreeBlock*& list : cache->free) {
    while (list != nullptr) std::free(std::exchange(list, list->next));
  }
}

// True if this thread's cache can be open; arranges for the end of the thread
// once.
bool OpenThreadCache() {
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
  if (!arranged) return false;
  CacheList& open = OpenCaches();
  const std::lock_guard<std::mutex> lock(open.mutex);
  thread_cache.next = open.first;
  if (open.first != nullptr) open.first->previous = &thread_cache;
  open.first = &thread_cache;
  return true;
}

bool CacheIsOpen() {
  return ABSL_PREDICT_TRUE(thread_cache.state == ThreadCache::kOpen) ||
         OpenThreadCache();
}

// Counts `blocks` blocks of `bytes` bytes in all that came into use (or went,
// if negative). Returns CacheIsOpen().
bool Count(int64_t blocks, int64_t bytes) {
  if (!CacheIsOpen()) {
    used_blocks.fetch_add(blocks, std::memory_order_relaxed);
    RaisePeak(used_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes);
    return false;
  }
  // No other thread writes them, so load and store need not be one step.
  ThreadCache& cache = thread_cache;
  const int64_t sum = cache.bytes.load(std::memory_order_relaxed) + bytes;
  cache.bytes.store(sum, std::memory_order_relaxed);
  cache.blocks.store(cache.blocks.load(std::memory_order_relaxed) + blocks,
                     std::memory_order_relaxed);
  if (ABSL_PREDICT_FALSE(sum >= kCountedByThread || sum <= -kCountedByThread)) {
    const std::lock_guard<std::mutex> lock(OpenCaches().mutex);
    FlushCounts(&cache);
  }
  return true;
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

// Counts a block for the thread's meter, which the caller knows to be there.
absl::Status Metered(size_t bytes) {
  MemoryMeter& meter = *thread_cache.meter;
  // Beyond int64 there is no memory either.
  if (bytes <= INT64_MAX && meter.Take(static_cast<int64_t>(bytes))) {
    return absl::OkStatus();
  }
  return NoMemory(bytes, "must fit in the limit of " +
                             std::to_string(meter.limit()) + " bytes, got " +
                             std::to_string(meter.bytes()) + " in use");
}

void Unmetered(size_t bytes) {
  if (ABSL_PREDICT_TRUE(thread_cache.meter == nullptr)) return;
  thread_cache.meter->Give(static_cast<int64_t>(bytes));
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

// A block out of this thread's cache; null if there is none.
void* CachedBlock(int size_class) {
  ThreadCache& cache = thread_cache;
  FreeBlock* const block = cache.free[size_class];
  if (block == nullptr) return nullptr;
  --cache.count[size_class];
  cache.free[size_class] = block->next;
  return block;
}

// `open`: this thread's cache is.
void FreeSmallBlock(void* block, int size_class, bool open) {
  ThreadCache& cache = thread_cache;
  uint32_t& count = cache.count[size_class];
  if (!kCaching || count >= kLimits[size_class] || !open) {
    std::free(block);
    return;
  }
  cache.free[size_class] = new (block) FreeBlock{cache.free[size_class]};
  ++count;
}

class CachingAllocator final : public Allocator {
 public:
  absl::StatusOr<RefPtr<Buffer>> Allocate(size_t bytes) override {
    if (ABSL_PREDICT_FALSE(thread_cache.meter != nullptr)) {
      SY_RETURN_IF_ERROR(Metered(bytes));
    }
    void* block = nullptr;
    if (bytes <= kLargestCached) {
      const int size_class = SizeClass(bytes);
      block = CachedBlock(size_class);
      if (block == nullptr) {
        absl::StatusOr<void*> made = NewBlock(bytes, CapacityOf(size_class));
        if (!made.ok()) return Refused(bytes, made.status());
        block = *made;
      }
    } else {
      absl::StatusOr<void*> made = LargeBlock(bytes);
      if (!made.ok()) return Refused(bytes, made.status());
      block = *made;
    }
    Count(1, static_cast<int64_t>(bytes));
    return RefPtr<Buffer>::Adopt(new (block) Buffer(
        this, static_cast<char*>(block) + kHeader, bytes, Place::Cpu()));
  }

  Place place() const override { return Place::Cpu(); }

 private:
  // Returns the error; the meter has counted a block that there isn't.
  static absl::Status Refused(size_t bytes, const absl::Status& error) {
    Unmetered(bytes);
    return error;
  }

  void Deallocate(Buffer* buffer) override {
    const size_t bytes = buffer->size();
    const bool open = Count(-1, -static_cast<int64_t>(bytes));
    Unmetered(bytes);
    buffer->~Buffer();
    // The Buffer stands at the block's beginning.
    if (bytes <= kLargestCached) {
      FreeSmallBlock(buffer, SizeClass(bytes), open);
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

void* NewObjectBlock(size_t bytes) {
  // The place of the header is the object's too.
  const size_t data = bytes <= kHeader ? 0 : bytes - kHeader;
  if (data > kLargestCached) return ::operator new(bytes);
  const int size_class = SizeClass(data);
  void* block = CachedBlock(size_class);
  if (block == nullptr) {
    block = std::aligned_alloc(kAlignment, kHeader + CapacityOf(size_class));
    if (block == nullptr) throw std::bad_alloc();
  }
  return block;
}

void DeleteObjectBlock(void* block, size_t bytes) {
  const size_t data = bytes <= kHeader ? 0 : bytes - kHeader;
  if (data > kLargestCached) {
    ::operator delete(block);
  } else {
    FreeSmallBlock(block, SizeClass(data), CacheIsOpen());
  }
}

MemoryMeter* ExchangeMemoryMeter(MemoryMeter* meter) {
  return std::exchange(thread_cache.meter, meter);
}

CpuMemoryUse CurrentCpuMemoryUse() {
  CacheList& open = OpenCaches();
  const std::lock_guard<std::mutex> lock(open.mutex);
  CpuMemoryUse use = {used_bytes.load(std::memory_order_relaxed),
                      used_blocks.load(std::memory_order_relaxed), 0};
  for (const ThreadCache* cache = open.first; cache != nullptr;
       cache = cache->next) {
    use.bytes += cache->bytes.load(std::memory_order_relaxed);
    use.blocks += cache->blocks.load(std::memory_order_relaxed);
  }
  RaisePeak(use.bytes);
  use.peak_bytes = peak_bytes.load(std::memory_order_relaxed);
  return use;
}

}  // namespace switchyard
