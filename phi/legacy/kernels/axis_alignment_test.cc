// SPDX-License-Identifier: Apache-2.0
#include "phi/legacy/kernels/axis_alignment.h"

#include <vector>

#include "gtest/gtest.h"

namespace switchyard::phi::fluid {
namespace {

std::vector<int64_t> Offsets(const Shape& result, const Shape& operand,
                             int axis) {
  const AxisAlignment alignment = Align(result, operand, axis);
  AlignedIndex at(alignment);
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < result.numel(); ++i, at.Next()) {
    offsets.push_back(at.offset());
  }
  return offsets;
}

TEST(AxisAlignment, StandsWhereAxisSays) {
  EXPECT_EQ(Offsets({2, 2}, {2}, 0), (std::vector<int64_t>{0, 0, 1, 1}));
  EXPECT_EQ(Offsets({2, 2}, {2}, 1), (std::vector<int64_t>{0, 1, 0, 1}));
  EXPECT_EQ(Offsets({2, 2}, {2}, -1), (std::vector<int64_t>{0, 1, 0, 1}));
  EXPECT_EQ(Offsets({1, 2, 2}, {2, 1}, 1), (std::vector<int64_t>{0, 0, 1, 1}));
}

TEST(AxisAlignment, ScalarsAreRepeated) {
  EXPECT_EQ(Offsets({3}, {}, -1), (std::vector<int64_t>{0, 0, 0}));
  EXPECT_EQ(Offsets({}, {}, -1), (std::vector<int64_t>{0}));
}

// Strides that would leave int64 lead nowhere.
TEST(AxisAlignment, TakesEmptyShapesOfHugeExtents) {
  const int64_t large = int64_t{1} << 40;
  const Shape shape({0, large, large});
  EXPECT_TRUE(Offsets(shape, shape, -1).empty());
}

TEST(AxisAlignment, IsWholeIfNothingIsRepeated) {
  EXPECT_TRUE(IsWhole(Align({2, 1, 3}, {2, 1, 3}, -1)));
  EXPECT_TRUE(IsWhole(Align({1, 3}, {3}, -1)));
  EXPECT_FALSE(IsWhole(Align({2, 3}, {3}, -1)));
  EXPECT_FALSE(IsWhole(Align({2, 3}, {2, 1}, 0)));
}

}  // namespace
}  // namespace switchyard::phi::fluid
