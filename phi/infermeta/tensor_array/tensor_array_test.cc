// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/tensor_array/tensor_array.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TensorSpec Array(Shape shape, DataType dtype = DataType::kFloat32) {
  TensorSpec meta = Meta(std::move(shape), dtype);
  meta.kind = TensorKind::kTensorArray;
  return meta;
}

const TensorSpec kPosition = Meta({1}, DataType::kInt64);

TEST(CreateArrayInferMetaTest, IsEmptyAndMayLeaveExtentsOpen) {
  TensorSpec out;
  ASSERT_THAT(CreateArrayInferMeta({-1, 3}, DataType::kFloat32, &out), IsOk());
  EXPECT_THAT(out, IsFloats({0, kUnknown, 3}));
  EXPECT_EQ(out.kind, TensorKind::kTensorArray);
  EXPECT_THAT(CreateArrayInferMeta({-2}, DataType::kFloat32, &out),
              IsArgumentError("element_shape must be of extents from -1 on"));
}

TEST(ArrayWriteInferMetaTest, KeepsWhatAllElementsHave) {
  TensorSpec out;
  ASSERT_THAT(ArrayWriteInferMeta(Meta({2, 3}), kPosition, nullptr, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 2, 3}));
  EXPECT_EQ(out.kind, TensorKind::kTensorArray);
  const TensorSpec open = Array({4, kUnknown, 3});
  ASSERT_THAT(ArrayWriteInferMeta(Meta({2, 3}), kPosition, &open, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, kUnknown, 3}));
  EXPECT_THAT(ArrayWriteInferMeta(Meta({2, 4}), kPosition, &open, &out),
              IsArgumentError("x must be of shape [?, 3], got [2, 4]"));
  EXPECT_THAT(ArrayWriteInferMeta(Meta({3}), kPosition, &open, &out),
              IsArgumentError("x must be"));
}

TEST(ArrayWriteInferMetaTest, TheFirstElementDecidesWhereNothingWasSaid) {
  TensorSpec out;
  const TensorSpec empty = Array({0});
  ASSERT_THAT(ArrayWriteInferMeta(Meta({2, 3}), kPosition, &empty, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 2, 3}));
  const TensorSpec scalars = Array({kUnknown});
  EXPECT_THAT(ArrayWriteInferMeta(Meta({2, 3}), kPosition, &scalars, &out),
              IsArgumentError("x must be"));
}

TEST(ArrayReadInferMetaTest, IsAnElement) {
  TensorSpec out;
  ASSERT_THAT(ArrayReadInferMeta(Array({kUnknown, 2, 3}), kPosition, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({2, 3}));
  EXPECT_EQ(out.kind, TensorKind::kDense);
  EXPECT_THAT(ArrayReadInferMeta(Meta({2, 3}), kPosition, &out),
              IsArgumentError("array must be tensor_array, got dense"));
  EXPECT_THAT(ArrayReadInferMeta(Array({2, 3}), Meta({1}), &out),
              IsArgumentError("i must be"));
}

TEST(ArrayToTensorInferMetaTest, JoinsOrStacks) {
  TensorSpec out, index;
  const TensorSpec array = Array({kUnknown, 2, 3});
  ASSERT_THAT(ArrayToTensorInferMeta(array, -1, false, &out, &index), IsOk());
  EXPECT_THAT(out, IsFloats({2, kUnknown}));
  EXPECT_THAT(index, IsMeta(Shape({kUnknown}), DataType::kInt32));
  ASSERT_THAT(ArrayToTensorInferMeta(array, 1, true, &out, nullptr), IsOk());
  EXPECT_THAT(out, IsFloats({2, kUnknown, 3}));
  EXPECT_THAT(ArrayToTensorInferMeta(array, 2, false, &out, nullptr),
              IsRangeError("axis must be in [-2, 2), got 2"));
  EXPECT_THAT(ArrayToTensorInferMeta(Array({3}), 0, false, &out, nullptr),
              IsArgumentError("array must be of rank 2 or more"));
}

TEST(ArrayGradInferMetaTest, AreOfTheTypeOfTheArray) {
  TensorSpec x_grad, array_grad;
  const TensorSpec array = Array({4, 2});
  const TensorSpec grad = Array({kUnknown, 2});
  ASSERT_THAT(ArrayWriteGradInferMeta(Meta({2}), kPosition, &array, grad,
                                      &x_grad, &array_grad),
              IsOk());
  EXPECT_THAT(x_grad, IsFloats({2}));
  EXPECT_THAT(array_grad, IsFloats({kUnknown, 2}));
  EXPECT_EQ(array_grad.kind, TensorKind::kTensorArray);
  EXPECT_THAT(
      ArrayWriteGradInferMeta(Meta({2}), kPosition, &array,
                              Array({kUnknown, 3}), &x_grad, &array_grad),
      IsArgumentError("out_grad must be of shape"));
  EXPECT_THAT(ArrayReadGradInferMeta(array, kPosition, Meta({3}), &array_grad),
              IsArgumentError("out_grad must be of shape [2], got [3]"));
  EXPECT_THAT(ArrayPopGradInferMeta(array, &x_grad, nullptr, 0, &array_grad),
              IsArgumentError("array_out_grad must be tensor_array"));
  ASSERT_THAT(ArrayPopGradInferMeta(array, &grad, nullptr, 0, &array_grad),
              IsOk());
  EXPECT_THAT(
      ArrayToTensorGradInferMeta(array, Meta({3, 2}), 0, true, &array_grad),
      IsOk());
}

}  // namespace
}  // namespace switchyard::phi
