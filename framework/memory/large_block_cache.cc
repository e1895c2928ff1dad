// SPDX-License-Identifier: Apache-2.0
#include "framework/memory/large_block_cache.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace switchyard {
namespace {

// floor(log2(x)); x is positive.
size_t PowerOf(size_t x) {
  return 63 - static_cast<size_t>(__builtin_clzll(x));
}

}  // namespace

size_t LargeBlockCache::CapacityFor(size_t bytes) {
  bytes = std::max(bytes, size_t{1} << kSmallestPower);
  const size_t step = size_t{1} << (PowerOf(bytes) - 3);
  return (bytes + step - 1) / step * step;
}

size_t LargeBlockCache::SizeClass(size_t capacity) {
  const size_t power = PowerOf(capacity);
  return (power - kSmallestPower) * 8 + (capacity >> (power - 3)) - 8;
}

void* LargeBlockCache::Take(size_t capacity) {
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return nullptr;
  FreeBlock*& list = free_[SizeClass(capacity)];
  if (list == nullptr) return nullptr;
  kept_ -= capacity;
  return std::exchange(list, list->next);
}

bool LargeBlockCache::Keep(void* block, size_t capacity) {
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return false;
  if (capacity > limit_ - kept_) return false;
  kept_ += capacity;
  FreeBlock*& list = free_[SizeClass(capacity)];
  list = new (block) FreeBlock{list};
  return true;
}

void LargeBlockCache::Clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (FreeBlock*& list : free_) {
    while (list != nullptr) std::free(std::exchange(list, list->next));
  }
  kept_ = 0;
}

size_t LargeBlockCache::kept_bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return kept_;
}

}  // namespace switchyard
