// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/indexing/indexing.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TensorSpec Indices(Shape shape) { return Meta(shape, DataType::kInt32); }

TEST(GatherInferMetaTest, ReplacesAnExtent) {
  TensorSpec out;
  const TensorSpec x = Meta({2, 3, 4});
  ASSERT_THAT(GatherInferMeta(x, Indices({7}), -2, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 7, 4}));
  ASSERT_THAT(GatherInferMeta(x, Indices({}), 0, &out), IsOk());
  EXPECT_THAT(out, IsFloats({3, 4}));
  ASSERT_THAT(IndexSelectInferMeta(x, Indices({kUnknown}), 0, &out), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 3, 4}));
  EXPECT_THAT(GatherInferMeta(x, Indices({2, 2}), 0, &out),
              IsArgumentError("index must be of rank 0 or 1, or of shape "
                              "[n, 1], got [2, 2]"));
  ASSERT_THAT(GatherInferMeta(x, Indices({7, kUnknown}), 1, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 7, 4}));
  EXPECT_THAT(IndexSelectInferMeta(x, Indices({7, 1}), 0, &out),
              IsArgumentError("index must be of rank 1"));
  EXPECT_THAT(IndexSelectInferMeta(x, Indices({}), 0, &out),
              IsArgumentError("index must be of rank 1"));
  EXPECT_THAT(GatherInferMeta(x, Indices({1}), 3, &out), IsRangeError("axis"));
  EXPECT_THAT(GatherInferMeta(x, Meta({1}), 0, &out),
              IsArgumentError("index must be int32 or int64"));
  EXPECT_THAT(GatherInferMeta(Meta({}), Indices({1}), 0, &out),
              IsArgumentError("x must be of rank 1 or more"));
}

TEST(ScatterInferMetaTest, ChecksTheUpdates) {
  TensorSpec out;
  const TensorSpec x = Meta({5, 4});
  ASSERT_THAT(ScatterInferMeta(x, Indices({2}), Meta({2, 4}), true, &out),
              IsOk());
  ASSERT_THAT(ScatterInferMeta(x, Indices({2, 1}), Meta({2, 4}), true, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({5, 4}));
  EXPECT_THAT(ScatterInferMeta(x, Indices({2}), Meta({3, 4}), true, &out),
              IsArgumentError("updates must be of shape [2, 4], got [3, 4]"));
  ASSERT_THAT(IndexAddInferMeta(x, Indices({2}), Meta({5, 2}), 1, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({5, 4}));
  EXPECT_THAT(IndexAddInferMeta(x, Indices({2}), Meta({2, 4}), 1, &out),
              IsArgumentError("add_value must be of shape [5, 2]"));
}

TEST(TakeAlongAxisInferMetaTest, TakesTheShapeOfTheIndices) {
  TensorSpec out;
  const TensorSpec arr = Meta({5, 4});
  ASSERT_THAT(TakeAlongAxisInferMeta(arr, Indices({2, 4}), 0, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 4}));
  EXPECT_THAT(TakeAlongAxisInferMeta(arr, Indices({5, 3}), 0, &out),
              IsArgumentError("indices must be of shape"));
  ASSERT_THAT(
      PutAlongAxisInferMeta(arr, Indices({2, 4}), Meta({2, 4}), 0, "add", &out),
      IsOk());
  EXPECT_THAT(out, IsFloats({5, 4}));
  EXPECT_THAT(
      PutAlongAxisInferMeta(arr, Indices({2, 4}), Meta({2, 4}), 0, "mul", &out),
      IsArgumentError("reduce must be"));
  EXPECT_THAT(
      PutAlongAxisInferMeta(arr, Indices({2, 4}), Meta({2}), 0, "add", &out),
      IsArgumentError("values must be of shape [2, 4]"));
}

TEST(IndexingGradInferMetaTest, ChecksTheGradientAsTheResult) {
  const TensorSpec x = Meta({5, 4});
  TensorSpec x_grad, other;
  EXPECT_THAT(ScatterGradInferMeta(Indices({3}), Meta({3, 4}), Meta({}),
                                   &x_grad, &other),
              IsArgumentError("x must be of rank 1 or more"));
  ASSERT_THAT(
      ScatterGradInferMeta(Indices({3}), Meta({3, 4}), x, nullptr, &other),
      IsOk());
  EXPECT_THAT(other, IsFloats({3, 4}));
}

TEST(IndexingGradInferMetaTest, ChecksAlongAnAxis) {
  const TensorSpec arr = Meta({5, 4});
  TensorSpec grad, other;
  ASSERT_THAT(
      TakeAlongAxisGradInferMeta(arr, Indices({2, 4}), Meta({2, 4}), 0, &grad),
      IsOk());
  EXPECT_THAT(grad, IsFloats({5, 4}));
  EXPECT_THAT(
      TakeAlongAxisGradInferMeta(arr, Indices({2, 4}), Meta({4}), 0, &grad),
      IsArgumentError("out_grad must be of shape [2, 4], got [4]"));
  EXPECT_THAT(PutAlongAxisGradInferMeta(Indices({2, 4}), Meta({2, 4}), arr, 0,
                                        "mul", &grad, &other),
              IsArgumentError("reduce must be"));
  ASSERT_THAT(PutAlongAxisGradInferMeta(Indices({2, 4}), Meta({2, 4}), arr, 0,
                                        "add", &grad, &other),
              IsOk());
  EXPECT_THAT(other, IsFloats({2, 4}));
}

TEST(NonzeroInferMetaTest, KnowsTheRankAlone) {
  TensorSpec out;
  ASSERT_THAT(NonzeroInferMeta(Meta({2, 3, 4}), &out), IsOk());
  EXPECT_THAT(out, IsMeta(Shape({kUnknown, 3}), DataType::kInt64));
}

TEST(MaskedSelectInferMetaTest, ChecksTheMask) {
  TensorSpec out;
  const TensorSpec x = Meta({2, 3});
  const TensorSpec mask = Meta({2, 3}, DataType::kBool);
  ASSERT_THAT(MaskedSelectInferMeta(x, mask, &out), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown}));
  EXPECT_THAT(MaskedSelectInferMeta(x, x, &out), IsArgumentError("mask"));
  const TensorSpec row = Meta({3}, DataType::kBool);
  EXPECT_THAT(MaskedSelectInferMeta(x, row, &out), IsArgumentError("mask"));
}

TEST(RepeatIndicesInferMetaTest, TakesANumberForEachSlice) {
  TensorSpec out;
  const TensorSpec x = Meta({2, 3});
  const TensorSpec repeats = Meta({3}, DataType::kInt32);
  ASSERT_THAT(RepeatIndicesInferMeta(x, repeats, -1, -1, &out), IsOk());
  EXPECT_THAT(out, IsMeta(Shape({kUnknown}), DataType::kInt64));
  ASSERT_THAT(RepeatIndicesInferMeta(Meta({2, kUnknown}), repeats, 1, 7, &out),
              IsOk());
  EXPECT_THAT(out, IsMeta(Shape({7}), DataType::kInt64));
  EXPECT_THAT(RepeatIndicesInferMeta(x, repeats, 0, -1, &out),
              IsArgumentError("repeats must be of shape [2], got [3]"));
  EXPECT_THAT(RepeatIndicesInferMeta(x, repeats, 1, -2, &out),
              IsArgumentError("output_size must be -1 or more, got -2"));
}

TEST(UniqueInferMetaTest, KnowsTheShapeOfTheInverse) {
  TensorSpec out, inverse, counts;
  ASSERT_THAT(UniqueInferMeta(Meta({2, 3}), &out, &inverse, &counts), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown}));
  EXPECT_THAT(inverse, IsMeta(Shape({2, 3}), DataType::kInt64));
  EXPECT_THAT(counts, IsMeta(Shape({kUnknown}), DataType::kInt64));
}

TEST(GatherNdInferMetaTest, ChoosesAlongTheFirstAxes) {
  TensorSpec out;
  const TensorSpec x = Meta({5, 3, kUnknown});
  ASSERT_THAT(GatherNdInferMeta(x, Meta({kUnknown, 2}, DataType::kInt64), &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, kUnknown}));
  ASSERT_THAT(GatherNdInferMeta(x, Meta({7, 3}, DataType::kInt32), &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({7}));
  EXPECT_THAT(GatherNdInferMeta(x, Meta({7, 4}, DataType::kInt32), &out),
              IsArgumentError("index must be of a last extent from 0 to 3"));
  EXPECT_THAT(GatherNdInferMeta(x, Meta({7, kUnknown}, DataType::kInt32), &out),
              IsArgumentError("index"));
}

TEST(ScatterNdAddInferMetaTest, WantsWhatGatherNdMakes) {
  TensorSpec out;
  const TensorSpec index = Meta({4, 1}, DataType::kInt64);
  ASSERT_THAT(ScatterNdAddInferMeta(Meta({5, 3}), index, Meta({4, 3}), &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({5, 3}));
  EXPECT_THAT(ScatterNdAddInferMeta(Meta({5, 3}), index, Meta({4}), &out),
              IsArgumentError("updates"));
}

}  // namespace
}  // namespace switchyard::phi
