// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/reduction/reduction.h"

#include <climits>

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TEST(SumInferMetaTest, ReducesAxes) {
  TensorSpec out;
  ASSERT_THAT(
      SumInferMeta(Meta({2, 3, 4}), {1, -1}, DataType::kUndefined, false, &out),
      IsOk());
  EXPECT_THAT(out, IsFloats({2}));
  ASSERT_THAT(
      SumInferMeta(Meta({2, 3, 4}), {1}, DataType::kUndefined, true, &out),
      IsOk());
  EXPECT_THAT(out, IsFloats({2, 1, 4}));
  ASSERT_THAT(
      SumInferMeta(Meta({2, kUnknown}), {}, DataType::kUndefined, false, &out),
      IsOk());
  EXPECT_THAT(out, IsFloats({}));
  ASSERT_THAT(SumInferMeta(Meta({}, DataType::kInt32), {0},
                           DataType::kUndefined, true, &out),
              IsOk());
  EXPECT_THAT(out, IsMeta(Shape(), DataType::kInt64));
}

TEST(SumInferMetaTest, RefusesBadAxes) {
  TensorSpec out;
  EXPECT_THAT(
      SumInferMeta(Meta({2, 3}), {2}, DataType::kUndefined, false, &out),
      IsRangeError("axis must be in [-2, 2), got 2"));
  EXPECT_THAT(
      SumInferMeta(Meta({2, 3}), {0, -2}, DataType::kUndefined, false, &out),
      IsArgumentError("axis must be without repetitions"));
}

TEST(SumInferMetaTest, TakesTheDtypeThatIsGiven) {
  TensorSpec out;
  const TensorSpec x = Meta({3}, DataType::kInt32);
  ASSERT_THAT(SumInferMeta(x, {}, DataType::kInt32, false, &out), IsOk());
  EXPECT_THAT(out, IsMeta(Shape(), DataType::kInt32));
  EXPECT_THAT(SumInferMeta(x, {}, DataType::kBool, false, &out),
              IsArgumentError("dtype must be a dtype of numbers"));
  ASSERT_THAT(AnyInferMeta(x, {0}, true, &out), IsOk());
  EXPECT_THAT(out, IsMeta(Shape({1}), DataType::kBool));
}

TEST(MaxInferMetaTest, NeedsElements) {
  TensorSpec out;
  EXPECT_THAT(MaxInferMeta(Meta({2, 0}), {1}, false, &out),
              IsArgumentError("x must be with elements"));
  ASSERT_THAT(MaxInferMeta(Meta({2, 0}), {0}, false, &out), IsOk());
  EXPECT_THAT(out, IsFloats({0}));
}

TEST(ReduceAsInferMetaTest, UndoesABroadcast) {
  TensorSpec out;
  ASSERT_THAT(ReduceAsInferMeta(Meta({4, 2, 3}), Meta({2, 1}), &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 1}));
  EXPECT_THAT(ReduceAsInferMeta(Meta({2}), Meta({1, 2}), &out),
              IsArgumentError("target"));
  EXPECT_THAT(ReduceAsInferMeta(Meta({2, 3}), Meta({2}), &out),
              IsArgumentError("target"));
}

TEST(ArgmaxInferMetaTest, YieldsIndices) {
  TensorSpec out;
  ASSERT_THAT(
      ArgmaxInferMeta(Meta({2, 3}), -1, false, false, DataType::kInt64, &out),
      IsOk());
  EXPECT_THAT(out, IsMeta(Shape({2}), DataType::kInt64));
  ASSERT_THAT(
      ArgmaxInferMeta(Meta({2, 3}), 9, true, true, DataType::kInt32, &out),
      IsOk());
  EXPECT_THAT(out, IsMeta(Shape({1, 1}), DataType::kInt32));
  EXPECT_THAT(
      ArgmaxInferMeta(Meta({2, 3}), 2, false, false, DataType::kInt64, &out),
      IsRangeError("axis"));
  EXPECT_THAT(
      ArgmaxInferMeta(Meta({2}), 0, false, false, DataType::kFloat32, &out),
      IsArgumentError("dtype must be int32 or int64"));
  EXPECT_THAT(
      ArgmaxInferMeta(Meta({0}), 0, false, false, DataType::kInt64, &out),
      IsArgumentError("x must be with elements"));
}

TEST(SumGradInferMetaTest, TakesTheDtypeOfTheResult) {
  const TensorSpec x = Meta({2, 3});
  const TensorSpec doubles = Meta({2}, DataType::kFloat64);
  TensorSpec x_grad;
  // A sum may be asked for in any dtype.
  ASSERT_THAT(SumGradInferMeta(x, doubles, {1}, false, &x_grad), IsOk());
  EXPECT_THAT(x_grad, IsFloats({2, 3}));
  EXPECT_THAT(SumGradInferMeta(x, Meta({}), {1}, false, &x_grad),
              IsArgumentError("out_grad must be of shape [2], got []"));
  EXPECT_THAT(SumGradInferMeta(x, Meta({}), {INT_MIN}, false, &x_grad),
              IsRangeError("axis"));
}

TEST(ReduceAsGradInferMetaTest, GradientBroadcastsToX) {
  TensorSpec x_grad;
  ASSERT_THAT(ReduceAsGradInferMeta(Meta({2, 3}), Meta({1}), &x_grad), IsOk());
  EXPECT_THAT(x_grad, IsFloats({2, 3}));
  EXPECT_THAT(ReduceAsGradInferMeta(Meta({2, 3}), Meta({2}), &x_grad),
              IsArgumentError(
                  "out_grad must be such that it broadcasts to x, got [2]"));
}

}  // namespace
}  // namespace switchyard::phi
