// SPDX-License-Identifier: Apache-2.0
#include "phi/core/boxes/kept_boxes.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace switchyard::phi {
namespace {

template <typename T>
struct Box {
  T sides[4];
};

// Boxes in the unit square, a few of them with a side that is no number or
// lies at an end of the numbers.
template <typename T>
std::vector<Box<T>> SomeBoxes(int count, T largest) {
  std::mt19937 random(7);
  std::uniform_real_distribution<T> place(0, 1), length(0, largest);
  std::vector<Box<T>> boxes(count);
  for (int i = 0; i < count; ++i) {
    const T x = place(random), y = place(random);
    boxes[i] = {{x, y, x + length(random), y + length(random)}};
    const T infinity = std::numeric_limits<T>::infinity();
    if (i % 17 == 5) {
      boxes[i].sides[i % 4] = std::numeric_limits<T>::quiet_NaN();
    }
    if (i % 23 == 7) boxes[i].sides[i % 4] = i % 2 == 0 ? infinity : -infinity;
  }
  return boxes;
}

template <typename T>
bool Apart(const T* a, const T* b) {
  return b[0] > a[2] || b[2] < a[0] || b[1] > a[3] || b[3] < a[1];
}

// A box stays that is near no other one, one by one and by KeptBoxes.
template <typename T>
void CheckThatNoneIsNear(int count, T largest) {
  const std::vector<Box<T>> boxes = SomeBoxes<T>(count, largest);
  std::vector<T> room(KeptBoxes<T>::Room(count));
  KeptBoxes<T> kept(room.data());
  std::vector<int> expected, got;
  for (int i = 0; i < count; ++i) {
    const T* const box = boxes[i].sides;
    if (std::all_of(expected.begin(), expected.end(), [&](int other) {
          return Apart(box, boxes[other].sides);
        })) {
      expected.push_back(i);
    }
    if (kept.AllNear(box, [&](const T* other) { return Apart(box, other); })) {
      kept.Add(box);
      got.push_back(i);
    }
  }
  EXPECT_EQ(got, expected);
  EXPECT_LT(expected.size(), boxes.size());
}

TEST(KeptBoxes, AskOfAllBoxesThatAreNear) {
  for (const int count : {40, 300}) {
    for (const float largest : {0.05f, 0.5f}) {
      CheckThatNoneIsNear<float>(count, largest);
      CheckThatNoneIsNear<double>(count, largest);
    }
  }
}

TEST(KeptBoxes, GiveEachNearBoxThatIsKeptOnceWithItsCorners) {
  for (int count = 0; count < 40; ++count) {
    std::vector<float> room(KeptBoxes<float>::Room(count));
    KeptBoxes<float> kept(room.data());
    for (int i = 0; i < count; ++i) {
      const float box[] = {0.0f, 1.0f, 2.0f, static_cast<float>(3 + i)};
      kept.Add(box);
    }
    const float candidate[] = {1, 1, 4, 4};
    std::vector<float> seen;
    EXPECT_TRUE(kept.AllNear(candidate, [&](const float* box) {
      EXPECT_EQ(box[0], 0);
      EXPECT_EQ(box[1], 1);
      EXPECT_EQ(box[2], 2);
      seen.push_back(box[3]);
      return true;
    }));
    ASSERT_EQ(seen.size(), static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) EXPECT_EQ(seen[i], 3 + i);
    const float beside[] = {5, 1, 6, 4};
    EXPECT_TRUE(kept.AllNear(beside, [](const float*) { return false; }));
    EXPECT_EQ(kept.AllNear(candidate, [](const float*) { return false; }),
              count == 0);
  }
}

}  // namespace
}  // namespace switchyard::phi
