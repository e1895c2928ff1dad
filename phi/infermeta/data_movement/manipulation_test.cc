// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/data_movement/manipulation.h"

#include <vector>

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

using Ints = std::vector<int64_t>;

TEST(ReshapeInferMetaTest, InfersAndRepeats) {
  TensorSpec out;
  ASSERT_THAT(ReshapeInferMeta(Meta({2, 3, 4}), {0, -1}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 12}));
  ASSERT_THAT(ReshapeInferMeta(Meta({1}), {}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({}));
  ASSERT_THAT(ReshapeInferMeta(Meta({0, 3}), {3, -1}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({3, 0}));
  ASSERT_THAT(ReshapeInferMeta(Meta({kUnknown, 4}), {-1, 2}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 2}));
  ASSERT_THAT(ReshapeInferMeta(Meta({0, 3}), {0, 2, 0}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({0, 2, 0}));
}

// An extent of a program that turns out as 0 is one, where to repeat that of x
// does not fit.
TEST(ReshapeInferMetaTest, TakesZerosOfTensorsWithoutElements) {
  TensorSpec out;
  ASSERT_THAT(ReshapeInferMeta(Meta({0, 4, 2}), {4, 0, 2}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({4, 0, 2}));
  ASSERT_THAT(ReshapeInferMeta(Meta({3, 0}), {0}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({0}));
  ASSERT_THAT(ReshapeInferMeta(Meta({0, 4, 2}), {0, 0, 1, 2}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({0, 4, 1, 2}));
  EXPECT_THAT(ReshapeInferMeta(Meta({3, 2}), {0}, &out),
              IsArgumentError("shape"));
  EXPECT_THAT(ReshapeInferMeta(Meta({3, 0}), {3}, &out),
              IsArgumentError("shape"));
}

TEST(ReshapeInferMetaTest, KnowsEqualSymbols) {
  const Dim batch = Dim::Symbol(0);
  TensorSpec x = Meta({kUnknown, 3, 4});
  x.shape[0] = batch;
  TensorSpec out;
  const AttrValue flat[] = {AttrValue::Of(batch), -1};
  ASSERT_THAT(ReshapeInferMeta(x, flat, &out), IsOk());
  EXPECT_THAT(out, IsFloats(Shape({batch, 12})));
  const AttrValue other[] = {AttrValue::Of(Dim::Symbol(1)), -1};
  ASSERT_THAT(ReshapeInferMeta(x, other, &out), IsOk());
  EXPECT_THAT(out, IsFloats(Shape({Dim::Symbol(1), Dim::Unknown()})));
  const AttrValue wrong[] = {AttrValue::Of(batch), 5};
  EXPECT_THAT(ReshapeInferMeta(x, wrong, &out), IsArgumentError("shape"));
}

TEST(ReshapeInferMetaTest, TakesUnknownExtents) {
  TensorSpec out;
  const AttrValue shape[] = {AttrValue(), 2};
  ASSERT_THAT(ReshapeInferMeta(Meta({3, 4}), shape, &out), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 2}));
}

TEST(ReshapeInferMetaTest, RefusesWhatDoesNotFit) {
  TensorSpec out;
  const TensorSpec x = Meta({2, 3});
  for (const Ints& shape :
       {Ints{5}, Ints{-1, -1}, Ints{-2, 3}, Ints{4, -1}, Ints{2, 3, 0}}) {
    EXPECT_THAT(ReshapeInferMeta(x, shape, &out),
                IsArgumentError("shape must"));
  }
  EXPECT_THAT(ReshapeInferMeta(Meta({0, 3}), {0, -1}, &out),
              IsArgumentError("shape"));
  EXPECT_THAT(ReshapeInferMeta(x, {kHuge, kHuge}, &out), IsSizeError());
  EXPECT_THAT(ReshapeInferMeta(x, Ints(10, 1), &out),
              IsArgumentError("of rank 9 at most"));
  EXPECT_THAT(ReshapeGradInferMeta(x, Meta({5}), &out),
              IsArgumentError("out_grad must be of 6 elements"));
}

TEST(TransposeInferMetaTest, PermutesAndBack) {
  TensorSpec out, back;
  ASSERT_THAT(TransposeInferMeta(Meta({2, 3, 4}), {2, 0, -2}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({4, 2, 3}));
  ASSERT_THAT(TransposeGradInferMeta(out, {2, 0, -2}, &back), IsOk());
  EXPECT_THAT(back, IsFloats({2, 3, 4}));
  EXPECT_THAT(TransposeInferMeta(Meta({2, 3}), {0}, &out),
              IsArgumentError("perm must be of 2 axes, got 1"));
  EXPECT_THAT(TransposeInferMeta(Meta({2, 3}), {0, 0}, &out),
              IsArgumentError("perm must be a permutation"));
  EXPECT_THAT(TransposeInferMeta(Meta({2, 3}), {0, 2}, &out),
              IsRangeError("perm"));
}

TEST(ConcatInferMetaTest, AddsExtents) {
  const TensorSpec a = Meta({2, 3}), b = Meta({2, 0}), c = Meta({kUnknown, 4});
  const std::vector<const TensorSpec*> x = {&c, &a, &b};
  TensorSpec out;
  ASSERT_THAT(ConcatInferMeta(x, -1, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 7}));
  EXPECT_THAT(ConcatInferMeta(x, 0, &out), IsArgumentError("x must be of"));
  EXPECT_THAT(ConcatInferMeta(x, 2, &out), IsRangeError("axis"));
  EXPECT_THAT(ConcatInferMeta({}, 0, &out),
              IsArgumentError("x must be at least one tensor"));
  const TensorSpec ints = Meta({2, 3}, DataType::kInt32);
  const std::vector<const TensorSpec*> mixed = {&a, &ints};
  EXPECT_THAT(ConcatInferMeta(mixed, 1, &out),
              IsArgumentError("x must be float32, got int32"));
}

TEST(SplitInferMetaTest, CutsAnAxis) {
  TensorSpec a, b;
  const std::vector<TensorSpec*> out = {&a, &b};
  ASSERT_THAT(SplitInferMeta(Meta({2, 7}), {3, -1}, 1, out), IsOk());
  EXPECT_THAT(a, IsFloats({2, 3}));
  EXPECT_THAT(b, IsFloats({2, 4}));
  ASSERT_THAT(SplitInferMeta(Meta({2, 8}), {-1, -1}, 1, out), IsOk());
  EXPECT_THAT(a, IsFloats({2, 4}));
  EXPECT_THAT(b, IsFloats({2, 4}));
  const TensorSpec x = Meta({2, 7});
  for (const Ints& sections :
       {Ints{3, 3}, Ints{8, -1}, Ints{-1, -1}, Ints{9, -2}, Ints{7}}) {
    EXPECT_THAT(SplitInferMeta(x, sections, 1, out),
                IsArgumentError("sections must be"));
  }
  EXPECT_THAT(SplitInferMeta(Meta({}), {1, 1}, 0, out),
              IsArgumentError("x must be of rank 1"));
}

TEST(SliceInferMetaTest, Clamps) {
  TensorSpec out;
  const TensorSpec x = Meta({5, 6});
  ASSERT_THAT(SliceInferMeta(x, {0, -1}, {-3, 4}, {INT64_MAX, 2}, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({3, 0}));
  ASSERT_THAT(SliceInferMeta(x, {0}, {INT64_MIN}, {2}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 6}));
  EXPECT_THAT(SliceInferMeta(x, {2}, {0}, {1}, &out), IsRangeError("axes"));
  EXPECT_THAT(SliceInferMeta(x, {0, 0}, {0, 0}, {1, 1}, &out),
              IsArgumentError("axes must be without repetitions"));
  EXPECT_THAT(SliceInferMeta(x, {0}, {}, {1}, &out),
              IsArgumentError("starts and ends"));
}

TEST(SliceInferMetaTest, TakesUnknownPositions) {
  const AttrValue ends[] = {AttrValue()};
  TensorSpec out;
  ASSERT_THAT(SliceInferMeta(Meta({3, 4}), {1}, {0}, ends, &out), IsOk());
  EXPECT_THAT(out, IsFloats({3, kUnknown}));
}

TEST(ExpandInferMetaTest, TakesSymbolsAndUnknownExtents) {
  const Dim batch = Dim::Symbol(0);
  const AttrValue shape[] = {AttrValue::Of(batch), AttrValue(), AttrValue()};
  TensorSpec out;
  ASSERT_THAT(ExpandInferMeta(Meta({1, 1, 3}), shape, &out), IsOk());
  EXPECT_THAT(out, IsFloats(Shape({batch, Dim::Unknown(), 3})));
}

TEST(ExpandInferMetaTest, Broadcasts) {
  TensorSpec out;
  ASSERT_THAT(ExpandInferMeta(Meta({3, 1}), {2, -1, 4}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 4}));
  EXPECT_THAT(ExpandInferMeta(Meta({3}), {-1, 3}, &out),
              IsArgumentError("shape must be such that x broadcasts"));
  EXPECT_THAT(ExpandInferMeta(Meta({3}), {4}, &out), IsArgumentError("shape"));
  EXPECT_THAT(ExpandInferMeta(Meta({3}), {}, &out), IsArgumentError("shape"));
  EXPECT_THAT(ExpandInferMeta(Meta({1}), {kHuge, kHuge}, &out), IsSizeError());
  ASSERT_THAT(ExpandAsInferMeta(Meta({1}), Meta({2, 3}), &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3}));
  EXPECT_THAT(ExpandAsInferMeta(Meta({2}), Meta({2, 3}), &out),
              IsArgumentError("y must be such that x broadcasts"));
}

TEST(CastInferMetaTest, TakesTheDtype) {
  TensorSpec out;
  ASSERT_THAT(CastInferMeta(Meta({2}), DataType::kInt8, &out), IsOk());
  EXPECT_THAT(out, IsMeta(Shape({2}), DataType::kInt8));
  EXPECT_THAT(CastInferMeta(Meta({2}), DataType::kUndefined, &out),
              IsArgumentError("dtype must be defined"));
  EXPECT_THAT(CastInferMeta(Meta({kHuge, 1 << 20}), DataType::kFloat64, &out),
              IsSizeError());
}

TEST(CastGradInferMetaTest, ChecksTheShape) {
  TensorSpec x_grad;
  ASSERT_THAT(
      CastGradInferMeta(Meta({2}), Meta({2}, DataType::kFloat64), &x_grad),
      IsOk());
  EXPECT_THAT(x_grad, IsFloats({2}));
  EXPECT_THAT(CastGradInferMeta(Meta({2}), Meta({3}), &x_grad),
              IsArgumentError("out_grad must be of shape [2], got [3]"));
}

TEST(ExpandGradInferMetaTest, XBroadcastsToTheGradient) {
  TensorSpec x_grad;
  ASSERT_THAT(ExpandGradInferMeta(Meta({1, 3}), Meta({4, 2, 3}), &x_grad),
              IsOk());
  EXPECT_THAT(x_grad, IsFloats({1, 3}));
  EXPECT_THAT(ExpandGradInferMeta(Meta({3}), Meta({}), &x_grad),
              IsArgumentError("out_grad must be such that x broadcasts to it"));
}

}  // namespace
}  // namespace switchyard::phi
