// SPDX-License-Identifier: Apache-2.0
#include "phi/kernels/cpu/simd/workspace.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <vector>

#include "framework/memory/fault_injecting_allocator.h"
#include "framework/testing/matchers.h"
#include "gtest/gtest.h"
#include "phi/kernels/cpu/conv/conv_geometry.h"

namespace switchyard::phi::kernels::cpu {
namespace {

TEST(WorkspaceTest, GivesElementsBack) {
  FaultInjectingAllocator allocator;
  {
    const auto workspace = Workspace<int64_t>::Make(allocator, 5);
    ASSERT_THAT(workspace, IsOk());
    EXPECT_EQ(workspace->span().size(), 5u);
    EXPECT_EQ(allocator.blocks(), 1);
  }
  EXPECT_EQ(allocator.blocks(), 0);
}

TEST(WorkspaceTest, NothingIsAskedForNothing) {
  FaultInjectingAllocator allocator;
  const auto workspace = Workspace<float>::Make(allocator, 0);
  ASSERT_THAT(workspace, IsOk());
  EXPECT_TRUE(workspace->span().empty());
  EXPECT_EQ(allocator.requests(), 0);
}

TEST(WorkspaceTest, SizesBeyondInt64NeverReachTheAllocator) {
  FaultInjectingAllocator allocator;
  EXPECT_THAT(Workspace<double>::Make(allocator, int64_t{1} << 61).status(),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(ParallelForWithWorkspace<char>(
                  allocator, 4, 1, int64_t{1} << 62,
                  [](int64_t, int64_t, char*) { FAIL() << "ran"; }),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(allocator.requests(), 0);
}

TEST(ParallelForWithWorkspaceTest, ChunksHaveTheirOwn) {
  FaultInjectingAllocator allocator;
  constexpr int64_t kCount = 1000, kElements = 3;
  std::vector<int> visits(kCount);
  std::atomic<bool> disturbed{false};
  ASSERT_THAT(ParallelForWithWorkspace<int64_t>(
                  allocator, kCount, 1, kElements,
                  [&](int64_t begin, int64_t end, int64_t* workspace) {
                    for (int64_t i = begin; i < end; ++i) {
                      std::fill_n(workspace, kElements, i);
                      ++visits[i];
                      for (int64_t k = 0; k < kElements; ++k) {
                        if (workspace[k] != i) disturbed = true;
                      }
                    }
                  }),
              IsOk());
  EXPECT_EQ(visits, std::vector<int>(kCount, 1));
  EXPECT_FALSE(disturbed);
  EXPECT_EQ(allocator.requests(), 1);
}

TEST(ParallelForWithWorkspaceTest, WithoutMemoryNoChunkRuns) {
  FaultInjectingAllocator allocator;
  allocator.FailAfter(0);
  EXPECT_THAT(ParallelForWithWorkspace<float>(
                  allocator, 10, 1, 8,
                  [](int64_t, int64_t, float*) { FAIL() << "ran"; }),
              StatusIs(absl::StatusCode::kResourceExhausted));
}

// The convolutions' way, whose tasks may fail.
TEST(ForEachWithWorkspaceTest, TurnsAFailedTaskIntoAStatus) {
  FaultInjectingAllocator allocator;
  const auto run = [&](absl::Status (*task)(int64_t, float*, bool)) {
    return ForEachWithWorkspace<float>(allocator, 100, 1, 8, task).code();
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
