// SPDX-License-Identifier: Apache-2.0
#include "framework/memory/buffer.h"

#include "framework/memory/cpu_allocator.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(BufferTest, WrappedMemoryIsReleasedOnce) {
  int releases = 0;
  char bytes[8];
  auto buffer = Buffer::Wrap(
      bytes, sizeof(bytes), Place::Cpu(),
      [](void* context) { ++*static_cast<int*>(context); }, &releases);
  EXPECT_EQ(buffer->data(), bytes);
  EXPECT_EQ(buffer->size(), sizeof(bytes));
  RefPtr<Buffer> other = buffer;
  buffer = nullptr;
  EXPECT_EQ(releases, 0);
  other = nullptr;
  EXPECT_EQ(releases, 1);
}

TEST(BufferTest, MemoryThatNobodyReleasesMayBeWrapped) {
  char byte = 0;
  const auto buffer = Buffer::Wrap(&byte, 1, Place::Cpu(), nullptr, nullptr);
  EXPECT_TRUE(buffer->unique());
}

TEST(BufferTest, VersionsCountWrites) {
  auto result = CpuAllocator().Allocate(4);
  ASSERT_TRUE(result.ok());
  const RefPtr<Buffer> view = *result;
  EXPECT_FALSE(view->unique());
  EXPECT_EQ(view->version(), 0u);
  (*result)->BumpVersion();
  EXPECT_EQ(view->version(), 1u);
}

}  // namespace
}  // namespace switchyard
