// SPDX-License-Identifier: Apache-2.0
#include "framework/memory/buffer_watch.h"

#include <memory>
#include <thread>
#include <vector>

#include "framework/memory/cpu_allocator.h"
#include "framework/testing/matchers.h"

namespace switchyard {
namespace {

RefPtr<Buffer> NewBuffer() {
  auto buffer = CpuAllocator().Allocate(64);
  EXPECT_THAT(buffer, IsOk());
  return *std::move(buffer);
}

TEST(BufferWatchTest, AnOperatorsWriteCounts) {
  const RefPtr<Buffer> buffer = NewBuffer();
  buffer->BumpVersion();
  const BufferWatch watch(buffer);
  EXPECT_TRUE(watch.unchanged());
  buffer->BumpVersion();
  EXPECT_FALSE(watch.unchanged());
  EXPECT_TRUE(BufferWatch(buffer).unchanged());
}

TEST(BufferWatchTest, AViewThatCameAndWentCounts) {
  const RefPtr<Buffer> buffer = NewBuffer();
  const RefPtr<Buffer> other = NewBuffer();
  const BufferWatch watch(buffer), again(buffer), apart(other);
  { const OutsideView view(buffer.get()); }
  EXPECT_FALSE(watch.unchanged());
  EXPECT_FALSE(again.unchanged());
  EXPECT_TRUE(apart.unchanged());
  EXPECT_TRUE(BufferWatch(buffer).unchanged());
}

TEST(BufferWatchTest, AViewFromBeforeCounts) {
  const RefPtr<Buffer> buffer = NewBuffer();
  auto first = std::make_unique<OutsideView>(buffer.get());
  auto second = std::make_unique<OutsideView>(buffer.get());
  first.reset();
  EXPECT_FALSE(BufferWatch(buffer).unchanged());
  second.reset();
  EXPECT_TRUE(BufferWatch(buffer).unchanged());
}

TEST(BufferWatchTest, AWatchKeepsItsBufferAlive) {
  RefPtr<Buffer> buffer = NewBuffer();
  const BufferWatch watch(buffer);
  EXPECT_FALSE(buffer->unique());
  EXPECT_EQ(watch.buffer().get(), buffer.get());
}

TEST(BufferWatchTest, ManyThreads) {
  const RefPtr<Buffer> buffer = NewBuffer();
  const BufferWatch watch(buffer);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&buffer] {
      for (int k = 0; k < 1000; ++k) {
        const OutsideView view(buffer.get());
        EXPECT_FALSE(BufferWatch(buffer).unchanged());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(watch.unchanged());
  EXPECT_TRUE(BufferWatch(buffer).unchanged());
}

}  // namespace
}  // namespace switchyard
