// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/data_movement/arrangement.h"

#include <vector>

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

using Ints = std::vector<int64_t>;

TEST(FlattenInferMetaTest, JoinsAxes) {
  TensorSpec out;
  ASSERT_THAT(FlattenInferMeta(Meta({2, 3, 4, 5}), 1, -2, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 12, 5}));
  ASSERT_THAT(FlattenInferMeta(Meta({kUnknown, 3, 4}), 0, -1, &out), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown}));
  ASSERT_THAT(FlattenInferMeta(Meta({}), 0, -1, &out), IsOk());
  EXPECT_THAT(out, IsFloats({1}));
  EXPECT_THAT(FlattenInferMeta(Meta({2, 3}), 1, 0, &out),
              IsArgumentError("stop_axis must be start_axis or a later axis"));
  EXPECT_THAT(FlattenInferMeta(Meta({2, 3}), 2, 2, &out),
              IsRangeError("start_axis"));
}

TEST(SqueezeInferMetaTest, DropsOnesOnly) {
  TensorSpec out;
  ASSERT_THAT(SqueezeInferMeta(Meta({1, 3, 1}), {}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({3}));
  ASSERT_THAT(SqueezeInferMeta(Meta({1, kUnknown, 1}), {-1, 0}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown}));
  ASSERT_THAT(SqueezeInferMeta(Meta({2, 1}), {0}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 1}));
  ASSERT_THAT(SqueezeInferMeta(Meta({2, kUnknown}), {1}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2}));
  ASSERT_THAT(SqueezeInferMeta(Meta({kUnknown, 1, 4}), {}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 4}));
  EXPECT_THAT(SqueezeInferMeta(Meta({2}), {1}, &out), IsRangeError("axis"));
}

TEST(UnsqueezeInferMetaTest, InsertsInTurn) {
  TensorSpec out;
  ASSERT_THAT(UnsqueezeInferMeta(Meta({2, 3}), {0, -1, 1}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({1, 1, 2, 3, 1}));
  EXPECT_THAT(UnsqueezeInferMeta(Meta({2}), {2}, &out),
              IsRangeError("axis must be in [-2, 1], got 2"));
  EXPECT_THAT(UnsqueezeInferMeta(Meta({2}), Ints(9, 0), &out),
              IsArgumentError("9 axes at most, got 10"));
}

TEST(StackInferMetaTest, AddsAnAxis) {
  const TensorSpec a = Meta({2, kUnknown}), b = Meta({2, 3}), c = Meta({3, 3});
  const std::vector<const TensorSpec*> x = {&a, &b}, bad = {&b, &c};
  TensorSpec out;
  ASSERT_THAT(StackInferMeta(x, -1, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 2}));
  EXPECT_THAT(StackInferMeta(bad, 0, &out),
              IsArgumentError("x must be of shape [2, 3], got [3, 3]"));
  EXPECT_THAT(StackInferMeta(x, 3, &out), IsRangeError("axis"));
  EXPECT_THAT(StackInferMeta({}, 0, &out), IsArgumentError("x must be"));
}

TEST(SqueezeInferMetaTest, CountsAxesThatAreNotKnown) {
  TensorSpec out;
  const AttrValue axes[] = {AttrValue(), AttrValue(0)};
  const AttrValue beyond[] = {AttrValue(), AttrValue(3)};
  ASSERT_THAT(SqueezeInferMeta(Meta({1, 3, 1}), axes, &out), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown}));
  EXPECT_THAT(SqueezeInferMeta(Meta({1}), axes, &out),
              IsArgumentError("axis must be of at most 1 axes"));
  EXPECT_THAT(SqueezeInferMeta(Meta({1, 3, 1}), beyond, &out),
              IsRangeError("axis"));
}

TEST(TileInferMetaTest, Multiplies) {
  TensorSpec out;
  ASSERT_THAT(TileInferMeta(Meta({2, kUnknown}), {3, 1, 2}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({3, 2, kUnknown}));
  ASSERT_THAT(TileInferMeta(Meta({2, 3}), {0}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 0}));
  EXPECT_THAT(TileInferMeta(Meta({2}), {-1}, &out),
              IsArgumentError("repeat_times must be without negative"));
  EXPECT_THAT(TileInferMeta(Meta({kHuge}), {kHuge}, &out), IsSizeError());
}

TEST(PadInferMetaTest, AddsPaddings) {
  TensorSpec out;
  ASSERT_THAT(PadInferMeta(Meta({2, kUnknown}), {1, 0, 2, 2}, Scalar(), &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({3, kUnknown}));
  EXPECT_THAT(PadInferMeta(Meta({2}), {1}, Scalar(), &out),
              IsArgumentError("paddings must be 2 numbers"));
  EXPECT_THAT(PadInferMeta(Meta({2}), {1, -1}, Scalar(), &out),
              IsArgumentError("without negative"));
  EXPECT_THAT(PadInferMeta(Meta({2}), {INT64_MAX, 1}, Scalar(), &out),
              IsSizeError());
}

TEST(FlipInferMetaTest, ChecksAxes) {
  TensorSpec out;
  const std::vector<int> twice = {0, -2}, beyond = {2}, both = {1, 0};
  ASSERT_THAT(FlipInferMeta(Meta({2, 3}), both, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3}));
  EXPECT_THAT(FlipInferMeta(Meta({2, 3}), twice, &out),
              IsArgumentError("axis must be without repetitions"));
  EXPECT_THAT(FlipInferMeta(Meta({2, 3}), beyond, &out), IsRangeError("axis"));
}

TEST(ShapeInferMetaTest, IsAsLongAsTheRank) {
  TensorSpec out;
  ASSERT_THAT(ShapeInferMeta(Meta({2, kUnknown}), &out), IsOk());
  EXPECT_THAT(out, IsMeta(Shape({2}), DataType::kInt64));
}

TEST(ExtentInferMetaTest, IsANumber) {
  TensorSpec out;
  ASSERT_THAT(ExtentInferMeta(Meta({2, kUnknown}), -1, &out), IsOk());
  EXPECT_THAT(out, IsMeta(Shape(), DataType::kInt64));
  EXPECT_THAT(ExtentInferMeta(Meta({2}), 1, &out), IsRangeError("axis"));
  EXPECT_THAT(ExtentInferMeta(Meta({}), 0, &out), IsArgumentError("input"));
}

TEST(StridedSliceInferMetaTest, CountsWhatIsKnown) {
  TensorSpec out;
  const auto infer = [&](const TensorSpec& x, AttrValues starts,
                         AttrValues strides, absl::Span<const int64_t> drop) {
    return StridedSliceInferMeta(x, {0, 1}, starts, {-9, 5}, strides, drop,
                                 &out);
  };
  ASSERT_THAT(infer(Meta({4, 6, kUnknown}), {-1, 1}, {-2, 3}, {}), IsOk());
  EXPECT_THAT(out, IsFloats({2, 2, kUnknown}));
  ASSERT_THAT(infer(Meta({kUnknown, 6, 2}), {-1, 4}, {-2, 1}, {1, 0}), IsOk());
  EXPECT_THAT(out, IsFloats({2}));
  const AttrValue late[] = {AttrValue(), AttrValue(4)};
  ASSERT_THAT(infer(Meta({4, 6}), late, {-2, 1}, {-1}), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown}));
  EXPECT_THAT(infer(Meta({4, 6}), late, {1, 0}, {}),
              IsArgumentError("strides must be other than 0, got [1, 0]"));
  EXPECT_THAT(infer(Meta({4, 6}), late, {-2, 1}, {0, 2}),
              IsRangeError("decrease_axis"));
  EXPECT_THAT(infer(Meta({4, 6}), {0, 3}, {-2, 1}, {1}),
              IsArgumentError("decrease_axis must be axes of which one element "
                              "is left, got 2 elements of axis 1"));
}

TEST(DiagonalInferMetaTest, PutsTheDiagonalLast) {
  TensorSpec out;
  ASSERT_THAT(DiagonalInferMeta(Meta({3, 2, 5}), 1, 0, -1, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3}));
  ASSERT_THAT(DiagonalInferMeta(Meta({3, 5}), -7, 0, 1, &out), IsOk());
  EXPECT_THAT(out, IsFloats({0}));
  ASSERT_THAT(DiagonalInferMeta(Meta({3, kUnknown}), 0, 0, 1, &out), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown}));
  EXPECT_THAT(DiagonalInferMeta(Meta({3, 5}), 0, 1, -1, &out),
              IsArgumentError("axis2 must be another axis than axis1"));
}

TEST(DiagInferMetaTest, TakesListsAndMatrices) {
  TensorSpec out;
  ASSERT_THAT(DiagInferMeta(Meta({3}), -2, 0.0f, &out), IsOk());
  EXPECT_THAT(out, IsFloats({5, 5}));
  ASSERT_THAT(DiagInferMeta(Meta({3, 4}), 2, 0.0f, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2}));
  EXPECT_THAT(DiagInferMeta(Meta({}), 0, 0.0f, &out), IsArgumentError("x"));
}

TEST(RollInferMetaTest, ChecksTheNumberOfShifts) {
  TensorSpec out;
  const AttrValue late[] = {AttrValue()};
  ASSERT_THAT(RollInferMeta(Meta({3, 4}), late, {}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({3, 4}));
  EXPECT_THAT(RollInferMeta(Meta({3, 4}), {1}, {0, 1}, &out),
              IsArgumentError("shifts must be of 2 numbers, got 1"));
  EXPECT_THAT(RollInferMeta(Meta({3, 4}), {1}, {2}, &out),
              IsRangeError("axis"));
}

}  // namespace
}  // namespace switchyard::phi
