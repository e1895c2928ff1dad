// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/simd/scratch.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <vector>

#include "framework/memory/faulty_allocator.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "phi/kernels/cpu/conv/conv_geometry.h"

namespace switchyard::phi::kernels::cpu {
namespace {

TEST(ScratchTest, GivesElementsBack) {
  FaultyAllocator allocator;
  {
    const auto scratch = Scratch<int64_t>::Make(allocator, 5);
    ASSERT_THAT(scratch, IsOk());
    EXPECT_EQ(scratch->span().size(), 5u);
    EXPECT_EQ(allocator.blocks(), 1);
  }
  EXPECT_EQ(allocator.blocks(), 0);
}

TEST(ScratchTest, NothingIsAskedForNothing) {
  FaultyAllocator allocator;
  const auto scratch = Scratch<float>::Make(allocator, 0);
  ASSERT_THAT(scratch, IsOk());
  EXPECT_TRUE(scratch->span().empty());
  EXPECT_EQ(allocator.requests(), 0);
}

TEST(ScratchTest, SizesBeyondInt64NeverReachTheAllocator) {
  FaultyAllocator allocator;
  EXPECT_THAT(Scratch<double>::Make(allocator, int64_t{1} << 61).status(),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(ParallelForWithScratch<char>(
                  allocator, 4, 1, int64_t{1} << 62,
                  [](int64_t, int64_t, char*) { FAIL() << "ran"; }),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(allocator.requests(), 0);
}

TEST(ParallelForWithScratchTest, ChunksHaveTheirOwn) {
  FaultyAllocator allocator;
  constexpr int64_t kCount = 1000, kElements = 3;
  std::vector<int> visits(kCount);
  std::atomic<bool> disturbed{false};
  ASSERT_THAT(ParallelForWithScratch<int64_t>(
                  allocator, kCount, 1, kElements,
                  [&](int64_t begin, int64_t end, int64_t* scratch) {
                    for (int64_t i = begin; i < end; ++i) {
                      std::fill_n(scratch, kElements, i);
                      ++visits[i];
                      for (int64_t k = 0; k < kElements; ++k) {
                        if (scratch[k] != i) disturbed = true;
                      }
                    }
                  }),
              IsOk());
  EXPECT_EQ(visits, std::vector<int>(kCount, 1));
  EXPECT_FALSE(disturbed);
  EXPECT_EQ(allocator.requests(), 1);
}

TEST(ParallelForWithScratchTest, WithoutMemoryNoChunkRuns) {
  FaultyAllocator allocator;
  allocator.FailAfter(0);
  EXPECT_THAT(ParallelForWithScratch<float>(
                  allocator, 10, 1, 8,
                  [](int64_t, int64_t, float*) { FAIL() << "ran"; }),
              StatusIs(absl::StatusCode::kResourceExhausted));
}

// The convolutions' way, whose tasks may fail.
TEST(ForEachWithScratchTest, TurnsAFailedTaskIntoAStatus) {
  FaultyAllocator allocator;
  const auto run = [&](absl::Status (*task)(int64_t, float*, bool)) {
    return ForEachWithScratch<float>(allocator, 100, 1, 8, task).code();
  };
  const auto ok = [](int64_t, float*, bool) { return absl::OkStatus(); };
  EXPECT_EQ(run(ok), absl::StatusCode::kOk);
  EXPECT_EQ(run([](int64_t i, float*, bool) -> absl::Status {
              if (i == 7) throw std::bad_alloc();
              return absl::OkStatus();
            }),
            absl::StatusCode::kResourceExhausted);
  allocator.FailAfter(3);
  EXPECT_EQ(run(ok), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace switchyard::phi::kernels::cpu
