// SPDX-License-Identifier: Apache-2.0
#include "framework/memory/fault_injecting_allocator.h"

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(FaultInjectingAllocatorTest, RefusesFromTheChosenAllocationOn) {
  FaultInjectingAllocator allocator;
  allocator.FailAfter(1);
  EXPECT_THAT(allocator.Allocate(8), IsOk());
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(allocator.Allocate(8),
                StatusIs(absl::StatusCode::kResourceExhausted,
                         "memory: allocation of 8 bytes refused by "
                         "FaultInjectingAllocator"));
  }
  allocator.NeverFail();
  EXPECT_THAT(allocator.Allocate(8), IsOk());
  EXPECT_EQ(allocator.requests(), 4);
  EXPECT_EQ(allocator.blocks(), 0);
}

TEST(FaultInjectingAllocatorTest, FillsNewMemoryAndCountsBlocks) {
  FaultInjectingAllocator allocator;
  auto result = allocator.Allocate(100);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(allocator.blocks(), 1);
  const auto* bytes = static_cast<const unsigned char*>((*result)->data());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes) % 64, 0u);
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(bytes[i], FaultInjectingAllocator::kPattern);
  }
  *result = nullptr;
  EXPECT_EQ(allocator.blocks(), 0);
}

TEST(FaultInjectingAllocatorTest, RefusesAbsurdSizes) {
  FaultInjectingAllocator allocator;
  EXPECT_THAT(allocator.Allocate(size_t{1} << 60),
              StatusIs(absl::StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace switchyard
