// SPDX-License-Identifier: Apache-2.0
#include "framework/memory/memory_meter.h"

#include <thread>

#include "framework/memory/cpu_allocator.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(MemoryMeterTest, CountsWhatItsThreadsTakeAndGiveBack) {
  MemoryMeter meter;
  RefPtr<Buffer> kept = *CpuAllocator().Allocate(10);
  {
    const MeterScope metered(&meter);
    const RefPtr<Buffer> small = *CpuAllocator().Allocate(100);
    {
      const RefPtr<Buffer> large = *CpuAllocator().Allocate(1 << 20);
      EXPECT_EQ(meter.bytes(), 100 + (1 << 20));
    }
    EXPECT_EQ(meter.bytes(), 100);
    EXPECT_EQ(meter.peak(), 100 + (1 << 20));
    std::thread([] { EXPECT_THAT(CpuAllocator().Allocate(7), IsOk()); }).join();
    EXPECT_EQ(meter.peak(), 100 + (1 << 20));
  }
  EXPECT_EQ(meter.bytes(), 0);
  const RefPtr<Buffer> unmetered = *CpuAllocator().Allocate(50);
  EXPECT_EQ(meter.bytes(), 0);
  {
    const MeterScope metered(&meter);
    kept = nullptr;  // Taken before; there is less than nothing.
  }
  EXPECT_EQ(meter.bytes(), 0);
}

TEST(MemoryMeterTest, RefusesWhatExceedsTheLimit) {
  for (const size_t size : {size_t{600}, size_t{1} << 20}) {
    MemoryMeter meter(static_cast<int64_t>(size * 3 / 2));
    const MeterScope metered(&meter);
    const RefPtr<Buffer> first = *CpuAllocator().Allocate(size);
    EXPECT_THAT(CpuAllocator().Allocate(size),
                StatusIs(absl::StatusCode::kResourceExhausted,
                         "memory: allocation of " + std::to_string(size) +
                             " bytes must fit in the limit of " +
                             std::to_string(size * 3 / 2) + " bytes, got " +
                             std::to_string(size) + " in use"));
    EXPECT_EQ(meter.bytes(), static_cast<int64_t>(size));
    EXPECT_THAT(CpuAllocator().Allocate(size / 2), IsOk());
  }
}

TEST(MemoryMeterTest, AFailedAllocationCountsNothing) {
  MemoryMeter meter;
  const MeterScope metered(&meter);
  for (const size_t bytes : {SIZE_MAX, size_t{1} << 60}) {
    EXPECT_THAT(CpuAllocator().Allocate(bytes),
                StatusIs(absl::StatusCode::kResourceExhausted, ::testing::_));
  }
  EXPECT_EQ(meter.bytes(), 0);
}

TEST(MemoryMeterTest, TheInnermostScopeCounts) {
  MemoryMeter outer;
  MemoryMeter inner;
  const MeterScope first(&outer);
  {
    const MeterScope second(&inner);
    EXPECT_THAT(CpuAllocator().Allocate(64), IsOk());
    const MeterScope none(nullptr);
    EXPECT_THAT(CpuAllocator().Allocate(1000), IsOk());
  }
  EXPECT_EQ(inner.peak(), 64);
  EXPECT_EQ(outer.peak(), 0);
  EXPECT_THAT(CpuAllocator().Allocate(32), IsOk());
  EXPECT_EQ(outer.peak(), 32);
}

}  // namespace
}  // namespace switchyard
