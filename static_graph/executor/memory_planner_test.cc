// SPDX-License-Identifier: Apache-2.0
#include "static_graph/executor/memory_planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "framework/testing/matchers.h"

namespace switchyard::static_graph {
namespace {

using ::testing::ElementsAre;

TEST(PlanMemory, ReusesWhatEnded) {
  const absl::StatusOr<MemoryLayout> layout =
      PlanMemory({{100, 0, 1}, {10, 1, 2}, {128, 2, 3}, {64, 3, 4}});
  ASSERT_THAT(layout, IsOk());
  EXPECT_THAT(layout->offsets, ElementsAre(0, 128, 0, 128));
  EXPECT_EQ(layout->bytes, 192);
}

TEST(PlanMemory, GrowsTheLastFreeRange) {
  const absl::StatusOr<MemoryLayout> layout =
      PlanMemory({{64, 0, 0}, {640, 1, 1}});
  ASSERT_THAT(layout, IsOk());
  EXPECT_THAT(layout->offsets, ElementsAre(0, 0));
  EXPECT_EQ(layout->bytes, 640);
}

TEST(PlanMemory, NeverOverlapsWhatLivesTogether) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<MemoryRequest> requests;
    for (int i = 0; i < 40; ++i) {
      const int first = static_cast<int>(random() % 30);
      requests.push_back({static_cast<int64_t>(random() % 1000), first,
                          first + static_cast<int>(random() % 8)});
    }
    const absl::StatusOr<MemoryLayout> layout = PlanMemory(requests);
    ASSERT_THAT(layout, IsOk());
    for (size_t a = 0; a < requests.size(); ++a) {
      ASSERT_EQ(layout->offsets[a] % 64, 0);
      ASSERT_LE(layout->offsets[a] + requests[a].bytes, layout->bytes);
      for (size_t b = 0; b < a; ++b) {
        const bool together = requests[a].first <= requests[b].last &&
                              requests[b].first <= requests[a].last;
        const bool apart =
            layout->offsets[a] + requests[a].bytes <= layout->offsets[b] ||
            layout->offsets[b] + requests[b].bytes <= layout->offsets[a];
        ASSERT_TRUE(!together || apart) << a << " and " << b;
      }
    }
  }
}

TEST(PlanMemory, RefusesSizesThatDontFit) {
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(PlanMemory({{kHuge, 0, 0}}),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(
      PlanMemory({{kHuge / 2, 0, 1}, {kHuge / 2, 1, 1}, {kHuge / 2, 1, 1}}),
      StatusIs(absl::StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace switchyard::static_graph
