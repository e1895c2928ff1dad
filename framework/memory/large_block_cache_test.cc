// SPDX-License-Identifier: Apache-2.0
#include "framework/memory/large_block_cache.h"

#include <cstdint>
#include <cstdlib>
#include <set>

#include "gtest/gtest.h"

namespace switchyard {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

TEST(LargeBlockCacheTest, CapacitiesHoldWhatIsAskedAndWasteAnEighthAtMost) {
  for (size_t bytes = 65537; bytes < (size_t{1} << 45); bytes += bytes / 3) {
    const size_t capacity = LargeBlockCache::CapacityFor(bytes);
    EXPECT_GE(capacity, bytes);
    EXPECT_LE(capacity - bytes, bytes / 8 + 1);
    EXPECT_EQ(capacity % 64, 0u);
    EXPECT_EQ(LargeBlockCache::CapacityFor(capacity), capacity);
  }
}

TEST(LargeBlockCacheTest, GivesBackWhatItKept) {
  LargeBlockCache cache(8 * kMiB);
  EXPECT_EQ(cache.Take(kMiB), nullptr);
  std::set<void*> blocks;
  for (int i = 0; i < 3; ++i) {
    void* const block = std::aligned_alloc(64, kMiB);
    blocks.insert(block);
    EXPECT_TRUE(cache.Keep(block, kMiB));
  }
  EXPECT_EQ(cache.kept_bytes(), 3 * kMiB);
  // Another capacity is another list.
  EXPECT_EQ(cache.Take(LargeBlockCache::CapacityFor(kMiB + 1)), nullptr);
  EXPECT_EQ(cache.Take(kMiB / 2), nullptr);
  for (int i = 0; i < 3; ++i) {
    void* const block = cache.Take(kMiB);
    EXPECT_EQ(blocks.erase(block), 1u);
    std::free(block);
  }
  EXPECT_EQ(cache.Take(kMiB), nullptr);
  EXPECT_EQ(cache.kept_bytes(), 0u);
}

TEST(LargeBlockCacheTest, KeepsNoMoreThanItsLimit) {
  LargeBlockCache cache(kMiB + kMiB / 2);
  EXPECT_TRUE(cache.Keep(std::aligned_alloc(64, kMiB), kMiB));
  void* const other = std::aligned_alloc(64, kMiB);
  EXPECT_FALSE(cache.Keep(other, kMiB));
  EXPECT_EQ(cache.kept_bytes(), kMiB);
  cache.Clear();
  EXPECT_EQ(cache.kept_bytes(), 0u);
  EXPECT_TRUE(cache.Keep(other, kMiB));
}

}  // namespace
}  // namespace switchyard
