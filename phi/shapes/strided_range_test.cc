// SPDX-License-Identifier: Apache-2.0
#include "phi/shapes/strided_range.h"

#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace switchyard::phi {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<int64_t> Positions(int64_t start, int64_t end, int64_t step,
                               int64_t extent) {
  const StridedRange range = StridedRange::Of(start, end, step, extent);
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < range.count; ++i) {
    positions.push_back(range.first + i * range.step);
  }
  return positions;
}

TEST(StridedRangeTest, GoesForwards) {
  EXPECT_THAT(Positions(1, 6, 2, 6), ElementsAre(1, 3, 5));
  EXPECT_THAT(Positions(-3, -1, 1, 6), ElementsAre(3, 4));
  EXPECT_THAT(Positions(-9, 9, 4, 6), ElementsAre(0, 4));
  EXPECT_THAT(Positions(6, 9, 1, 6), IsEmpty());
  EXPECT_THAT(Positions(3, 3, 1, 6), IsEmpty());
}

TEST(StridedRangeTest, GoesBackwards) {
  EXPECT_THAT(Positions(-1, -7, -2, 6), ElementsAre(5, 3, 1));
  EXPECT_THAT(Positions(-1, -6, -2, 5), ElementsAre(4, 2, 0));
  EXPECT_THAT(Positions(9, 3, -1, 6), ElementsAre(5, 4));
  EXPECT_THAT(Positions(2, -99, -1, 6), ElementsAre(2, 1, 0));
  EXPECT_THAT(Positions(2, 4, -1, 6), IsEmpty());
  // Position -1 is the last one, not the one before the first.
  EXPECT_THAT(Positions(2, -1, -1, 6), IsEmpty());
}

TEST(StridedRangeTest, TakesAnyNumber) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(Positions(kMin, kMax, kMax, 3), ElementsAre(0));
  EXPECT_THAT(Positions(kMax, kMin, kMin, 3), ElementsAre(2));
  EXPECT_THAT(Positions(0, 3, 0, 3), IsEmpty());
  EXPECT_THAT(Positions(0, kMax, 1, 0), IsEmpty());
  EXPECT_THAT(Positions(kMax, kMin, -1, 0), IsEmpty());
}

}  // namespace
}  // namespace switchyard::phi
