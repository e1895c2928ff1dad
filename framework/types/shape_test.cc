// SPDX-License-Identifier: Apache-2.0
#include "framework/types/shape.h"

#include <vector>

#include "framework/testing/matchers.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

constexpr int64_t kLarge = int64_t{1} << 40;
const Dim kUnknown = Dim::Unknown();

std::vector<int64_t> StridesOf(const Shape& shape) {
  const Strides strides = ContiguousStrides(shape);
  return {strides.begin(), strides.begin() + shape.rank()};
}

TEST(ShapeTest, MakeChecksWhatComesFromOutside) {
  EXPECT_THAT(Shape::Make({2, 0, 3}), IsOkAndHolds(Shape({2, 0, 3})));
  EXPECT_THAT(Shape::Make({}), IsOkAndHolds(Shape()));
  EXPECT_THAT(Shape::Make({2, -1}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "shape must be without negative extents, got -1"));
  EXPECT_THAT(Shape::Make(std::vector<int64_t>(10, 1)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "shape must be of rank 9 at most, got rank 10"));
}

TEST(ShapeTest, TextShowsWhatIsUnknown) {
  EXPECT_EQ(ToString(Shape()), "[]");
  EXPECT_EQ(ToString(Shape({2, kUnknown, Dim::Symbol(1)})), "[2, ?, s1]");
}

TEST(ShapeTest, EqualityIsOfRankAndDims) {
  EXPECT_EQ(Shape({2, kUnknown}), Shape({2, kUnknown}));
  EXPECT_NE(Shape({2}), Shape({2, 1}));
  Shape shrunk({2, 3});
  shrunk.resize(1);
  EXPECT_EQ(shrunk, Shape({2}));
}

TEST(ShapeTest, MayEqualLooksAtKnownExtents) {
  EXPECT_TRUE(MayEqual(Shape({2, kUnknown}), Shape({2, 3})));
  EXPECT_FALSE(MayEqual(Shape({2, kUnknown}), Shape({3, 3})));
  EXPECT_FALSE(MayEqual(Shape({kUnknown}), Shape({kUnknown, kUnknown})));
}

TEST(ShapeTest, NumElements) {
  EXPECT_THAT(Shape().NumElements(), IsOkAndHolds(1));
  EXPECT_THAT(Shape({2, 3, 4}).NumElements(), IsOkAndHolds(24));
  EXPECT_THAT(Shape({kLarge, kLarge, 0}).NumElements(), IsOkAndHolds(0));
  EXPECT_THAT(Shape({kLarge, kLarge}).NumElements(),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       "shape must be of fewer than 2^63 elements, got "
                       "[1099511627776, 1099511627776]"));
  EXPECT_EQ(Shape({2, 3}).numel(), 6);
  EXPECT_EQ(Shape().numel(), 1);
  EXPECT_EQ(Shape({2, 3, 4}).numel(1, 3), 12);
  EXPECT_EQ(Shape({2, 3, 4}).numel(1, 1), 1);
  EXPECT_EQ(Shape({0, kLarge, kLarge}).numel(1, 3), 0);
}

TEST(ShapeTest, KnownNeedsEveryDim) {
  EXPECT_TRUE(Shape().known());
  EXPECT_TRUE(Shape({0, 2}).known());
  EXPECT_FALSE(Shape({0, kUnknown}).known());
  EXPECT_FALSE(Shape({Dim::Symbol(0)}).known());
}

TEST(StridesTest, AreRowMajor) {
  EXPECT_EQ(StridesOf(Shape({2, 3, 4})), (std::vector<int64_t>{12, 4, 1}));
  EXPECT_EQ(StridesOf(Shape({2, 0, 4})), (std::vector<int64_t>{4, 4, 1}));
  EXPECT_TRUE(StridesOf(Shape()).empty());
}

TEST(StridesTest, PlaceElementsInRowMajorOrder) {
  const Shape shape({2, 3});
  EXPECT_EQ(ElementOffset(shape, ContiguousStrides(shape), 4), 4);
  const Strides transposed = {1, 2};
  EXPECT_EQ(ElementOffset(shape, transposed, 1), 2);
  EXPECT_EQ(ElementOffset(shape, transposed, 5), 5);
  const Strides backwards = {-3, -1};
  EXPECT_EQ(ElementOffset(shape, backwards, 4), -4);
  EXPECT_EQ(ElementOffset(Shape(), Strides(), 0), 0);
}

TEST(StridesTest, ContiguityIgnoresAxesWithoutChoice) {
  EXPECT_TRUE(IsContiguous(Shape({2, 3}), {3, 1}));
  EXPECT_FALSE(IsContiguous(Shape({2, 3}), {1, 2}));
  EXPECT_FALSE(IsContiguous(Shape({2, 3}), {6, 2}));
  EXPECT_FALSE(IsContiguous(Shape({2, 3}), {0, 1}));
  EXPECT_TRUE(IsContiguous(Shape({1, 3}), {99, 1}));
  EXPECT_TRUE(IsContiguous(Shape({3, 1}), {1, 99}));
  EXPECT_TRUE(IsContiguous(Shape({2, 0}), {7, 7}));
  EXPECT_TRUE(IsContiguous(Shape(), {}));
}

TEST(NormalizeAxisTest, CountsFromTheEnd) {
  EXPECT_THAT(NormalizeAxis("axis", 1, 2), IsOkAndHolds(1));
  EXPECT_THAT(NormalizeAxis("axis", -1, 2), IsOkAndHolds(1));
  EXPECT_THAT(NormalizeAxis("axis", -2, 2), IsOkAndHolds(0));
}

TEST(NormalizeAxisTest, OutsideIsARangeError) {
  EXPECT_THAT(NormalizeAxis("axis", 5, 2),
              StatusIs(absl::StatusCode::kOutOfRange,
                       "axis must be in [-2, 2), got 5"));
  EXPECT_THAT(NormalizeAxis("dim", INT64_MIN, 9),
              StatusIs(absl::StatusCode::kOutOfRange,
                       "dim must be in [-9, 9), got -9223372036854775808"));
}

TEST(NormalizeAxisTest, AScalarHasAnAxisOnlyWhereAllowed) {
  EXPECT_THAT(NormalizeAxis("axis", 0, 0),
              StatusIs(absl::StatusCode::kOutOfRange,
                       "axis must be an axis of a tensor of rank 1 or more, "
                       "got 0 for a scalar"));
  EXPECT_THAT(NormalizeAxis("axis", 0, 0, true), IsOkAndHolds(0));
  EXPECT_THAT(NormalizeAxis("axis", -1, 0, true), IsOkAndHolds(0));
  EXPECT_THAT(NormalizeAxis("axis", 1, 0, true),
              StatusIs(absl::StatusCode::kOutOfRange));
}

struct BroadcastCase {
  Shape a;
  Shape b;
  Shape result;
};

TEST(BroadcastShapesTest, FollowsNumPy) {
  const Dim symbol = Dim::Symbol(4);
  const BroadcastCase cases[] = {
      {{2, 3}, {2, 3}, {2, 3}},
      {{2, 3}, {}, {2, 3}},
      {{2, 3}, {3}, {2, 3}},
      {{2, 1}, {1, 3}, {2, 3}},
      {{0, 1}, {1, 3}, {0, 3}},
      {{0}, {1}, {0}},
      {{4, 1, 3}, {2, 1}, {4, 2, 3}},
      // 3 with ?: ? is 1 or 3, so 3; 1 with ?: whatever ? is.
      {{kUnknown}, {3}, {3}},
      {{kUnknown}, {1}, {kUnknown}},
      {{kUnknown}, {0}, {0}},
      {{kUnknown}, {kUnknown}, {kUnknown}},
      {{symbol}, {symbol}, {symbol}},
      {{symbol}, {1}, {symbol}},
      {{symbol}, {Dim::Symbol(5)}, {kUnknown}},
      {{symbol}, {kUnknown}, {kUnknown}},
  };
  for (const BroadcastCase& c : cases) {
    EXPECT_THAT(BroadcastShapes("y", c.a, c.b), IsOkAndHolds(c.result))
        << ToString(c.a) << ToString(c.b);
    EXPECT_THAT(BroadcastShapes("y", c.b, c.a), IsOkAndHolds(c.result))
        << ToString(c.b) << ToString(c.a);
  }
}

TEST(BroadcastShapesTest, ConflictNamesTheArgument) {
  EXPECT_THAT(BroadcastShapes("y", Shape({2, 3}), Shape({4})),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "y must be broadcastable with [2, 3], got [4]"));
  EXPECT_THAT(BroadcastShapes("y", Shape({0}), Shape({2})),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace switchyard
