// SPDX-License-Identifier: Apache-2.0
#include "framework/memory/cpu_allocator.h"

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

RefPtr<Buffer> Allocate(size_t bytes) {
  auto result = CpuAllocator().Allocate(bytes);
  EXPECT_THAT(result, IsOk());
  return *std::move(result);
}

TEST(CpuAllocatorTest, EverySizeIsAlignedAndWritable) {
  std::vector<RefPtr<Buffer>> buffers;
  for (size_t size = 0; size <= (size_t{1} << 18); size = size * 5 / 4 + 1) {
    RefPtr<Buffer> buffer = Allocate(size);
    EXPECT_EQ(buffer->size(), size);
    EXPECT_EQ(buffer->place(), Place::Cpu());
    EXPECT_NE(buffer->data(), nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % 64, 0u) << size;
    std::memset(buffer->data(), static_cast<int>(buffers.size()), size);
    buffers.push_back(std::move(buffer));
  }
  // Blocks that overlap would have overwritten each other.
  for (size_t i = 0; i < buffers.size(); ++i) {
    const auto* bytes = static_cast<const unsigned char*>(buffers[i]->data());
    for (size_t j = 0; j < buffers[i]->size(); ++j) {
      ASSERT_EQ(bytes[j], static_cast<unsigned char>(i)) << j;
    }
  }
}

TEST(CpuAllocatorTest, SizesAroundThePowersOfTwoFit) {
  for (int power = 6; power <= 17; ++power) {
    for (int offset : {-1, 0, 1}) {
      const size_t size = (size_t{1} << power) + static_cast<size_t>(offset);
      // Twice: the second one comes out of the cache.
      std::memset(Allocate(size)->data(), 1, size);
      std::memset(Allocate(size)->data(), 2, size);
    }
  }
}

TEST(CpuAllocatorTest, HugeRequestsAreRefusedWithASentence) {
  for (size_t bytes : {size_t{1} << 60, size_t{1} << 45, SIZE_MAX,
                       SIZE_MAX - 63, SIZE_MAX / 2}) {
    EXPECT_THAT(CpuAllocator().Allocate(bytes),
                StatusIs(absl::StatusCode::kResourceExhausted,
                         ::testing::StartsWith("memory: allocation of " +
                                               std::to_string(bytes) +
                                               " bytes must be at most the ")));
  }
}

TEST(CpuAllocatorTest, StatisticsCountWhatIsOut) {
  const CpuMemoryUse before = CurrentCpuMemoryUse();
  {
    const RefPtr<Buffer> small = Allocate(100);
    const RefPtr<Buffer> large = Allocate(1 << 20);
    const CpuMemoryUse use = CurrentCpuMemoryUse();
    EXPECT_EQ(use.blocks - before.blocks, 2);
    EXPECT_EQ(use.bytes - before.bytes, 100 + (1 << 20));
    EXPECT_GE(use.peak_bytes, use.bytes);
  }
  const CpuMemoryUse after = CurrentCpuMemoryUse();
  EXPECT_EQ(after.blocks, before.blocks);
  EXPECT_EQ(after.bytes, before.bytes);
  EXPECT_GE(after.peak_bytes, before.bytes + (1 << 20));
  const auto refused = CpuAllocator().Allocate(SIZE_MAX);
  EXPECT_EQ(CurrentCpuMemoryUse().blocks, before.blocks);
}

TEST(CpuAllocatorTest, BlocksMayDieOnAnotherThread) {
  const CpuMemoryUse before = CurrentCpuMemoryUse();
  for (int round = 0; round < 20; ++round) {
    std::vector<RefPtr<Buffer>> buffers;
    for (size_t i = 0; i < 200; ++i) buffers.push_back(Allocate(i * 100));
    std::thread([taken = std::move(buffers)]() mutable {
      taken.clear();
      const RefPtr<Buffer> reused = Allocate(100);
      std::memset(reused->data(), 1, 100);
    }).join();
  }
  EXPECT_EQ(CurrentCpuMemoryUse().blocks, before.blocks);
  EXPECT_EQ(CurrentCpuMemoryUse().bytes, before.bytes);
}

TEST(CpuAllocatorTest, ObjectBlocksAreKeptAndNotCounted) {
  const CpuMemoryUse before = CurrentCpuMemoryUse();
  for (size_t bytes = 1; bytes <= (size_t{1} << 18); bytes = bytes * 3 + 1) {
    for (int round = 0; round < 2; ++round) {
      void* const block = NewObjectBlock(bytes);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 16, 0u) << bytes;
      std::memset(block, round, bytes);
      DeleteObjectBlock(block, bytes);
    }
  }
  void* const block = NewObjectBlock(200);
  EXPECT_EQ(CurrentCpuMemoryUse().blocks, before.blocks);
  std::thread([block] {
    std::memset(block, 1, 200);
    DeleteObjectBlock(block, 200);
  }).join();
  EXPECT_EQ(CurrentCpuMemoryUse().bytes, before.bytes);
}

// Dies after the thread's cache may have been closed.
thread_local RefPtr<Buffer> last_of_thread;

TEST(CpuAllocatorTest, BlocksMayDieAtTheEndOfAThread) {
  const CpuMemoryUse before = CurrentCpuMemoryUse();
  std::thread([] {
    last_of_thread = Allocate(64);
    Allocate(64);
  }).join();
  EXPECT_EQ(CurrentCpuMemoryUse().blocks, before.blocks);
}

TEST(CpuAllocatorTest, ThreadsAtOnce) {
  const CpuMemoryUse before = CurrentCpuMemoryUse();
  std::vector<std::thread> threads;
  for (unsigned char id = 0; id < 4; ++id) {
    threads.emplace_back([id] {
      for (size_t i = 0; i < 5000; ++i) {
        const RefPtr<Buffer> buffer = Allocate(i % 3000 + 1);
        auto* bytes = static_cast<unsigned char*>(buffer->data());
        std::memset(bytes, id, buffer->size());
        ASSERT_EQ(bytes[i % 3000], id);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(CurrentCpuMemoryUse().bytes, before.bytes);
}

}  // namespace
}  // namespace switchyard
