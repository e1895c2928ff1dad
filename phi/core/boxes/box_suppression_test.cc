// SPDX-License-Identifier: Apache-2.0
#include "phi/core/boxes/box_suppression.h"

#include <gtest/gtest.h>

#include <vector>

namespace switchyard::phi {
namespace {

constexpr float kUnit[] = {0, 0, 1, 1};
constexpr float kRight[] = {0.5f, 0, 1.5f, 1};
constexpr float kFar[] = {5, 5, 6, 6};
constexpr float kTurned[] = {1, 1, 0, 0};

TEST(Area, CountsSidesAndPixels) {
  EXPECT_EQ(Area(kUnit, 0.0f), 1);
  EXPECT_EQ(Area(kUnit, 1.0f), 4);
  EXPECT_EQ(Area(kTurned, 1.0f), 0);
}

TEST(Overlap, IsOfWhatBothCover) {
  EXPECT_EQ(Overlap(kUnit, kUnit, 0.0f), 1);
  EXPECT_FLOAT_EQ(Overlap(kUnit, kRight, 0.0f), 1.0f / 3);
  EXPECT_EQ(Overlap(kUnit, kFar, 0.0f), 0);
}

std::vector<bool> Kept(const OverlapLimit<float>& limit) {
  std::vector<float> room(KeptBoxes<float>::Room(4));
  BoxSuppression<float> suppression(limit, room.data());
  std::vector<bool> kept;
  for (const float* box : {kUnit, kRight, kFar, kUnit}) {
    kept.push_back(suppression.Keep(box));
  }
  return kept;
}

TEST(BoxSuppression, KeepsWhatOverlapsByNoMoreThanTheLimit) {
  EXPECT_EQ(Kept({0.5f, 1, 0}), (std::vector<bool>{true, true, true, false}));
  EXPECT_EQ(Kept({0.3f, 1, 0}), (std::vector<bool>{true, false, true, false}));
  EXPECT_EQ(Kept({1, 1, 0}), (std::vector<bool>{true, true, true, true}));
}

TEST(BoxSuppression, ShrinksTheLimitWithEachBoxThatStays) {
  EXPECT_EQ(Kept({1, 0.3f, 0}), (std::vector<bool>{true, false, true, false}));
}

TEST(BoxSuppression, KeepsOneBoxUnderALimitBelowZero) {
  EXPECT_EQ(Kept({-1, 1, 0}), (std::vector<bool>{true, false, false, false}));
}

}  // namespace
}  // namespace switchyard::phi
