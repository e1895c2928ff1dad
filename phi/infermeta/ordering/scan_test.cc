// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/ordering/scan.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TEST(CumprodInferMetaTest, KeepsTheShape) {
  TensorSpec out, grad;
  const TensorSpec x = Meta({2, kUnknown});
  ASSERT_THAT(CumprodInferMeta(x, -2, true, false, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, kUnknown}));
  EXPECT_THAT(CumprodInferMeta(x, 2, false, false, &out),
              IsRangeError("dim must be in [-2, 2), got 2"));
  ASSERT_THAT(CumprodGradInferMeta(x, Meta({2, 3}), 1, false, true, &grad),
              IsOk());
  EXPECT_THAT(grad, IsFloats({2, kUnknown}));
  EXPECT_THAT(CumprodGradInferMeta(x, Meta({3, 3}), 1, false, true, &grad),
              IsArgumentError("out_grad"));
  EXPECT_THAT(CumprodGradInferMeta(x, Meta({2, 3}), 4, false, true, &grad),
              IsRangeError("dim"));
}

TEST(LogcumsumexpGradInferMetaTest, ChecksTheSums) {
  TensorSpec grad;
  const TensorSpec x = Meta({2, 3}), flat = Meta({6});
  ASSERT_THAT(
      LogcumsumexpGradInferMeta(x, flat, flat, 0, true, false, false, &grad),
      IsOk());
  EXPECT_THAT(grad, IsFloats({2, 3}));
  EXPECT_THAT(
      LogcumsumexpGradInferMeta(x, x, flat, 0, true, false, false, &grad),
      IsArgumentError("out must be of shape [6], got [2, 3]"));
  EXPECT_THAT(
      LogcumsumexpGradInferMeta(x, x, flat, 0, false, false, false, &grad),
      IsArgumentError("out_grad"));
}

TEST(CummaxInferMetaTest, GivesIndicesOfTheDtype) {
  TensorSpec out, indices;
  ASSERT_THAT(
      CummaxInferMeta(Meta({2, 3}), 0, DataType::kInt32, &out, &indices),
      IsOk());
  EXPECT_THAT(out, IsFloats({2, 3}));
  EXPECT_THAT(indices, IsMeta(Shape({2, 3}), DataType::kInt32));
  EXPECT_THAT(
      CummaxInferMeta(Meta({2, 3}), 0, DataType::kFloat32, &out, &indices),
      IsArgumentError("dtype must be int32 or int64, got float32"));
  EXPECT_THAT(
      CummaxInferMeta(Meta({2, 3}), 2, DataType::kInt32, &out, &indices),
      IsRangeError("axis"));
}

TEST(LogsumexpGradInferMetaTest, ChecksTheReducedShape) {
  TensorSpec grad;
  const int64_t axis[] = {1};
  ASSERT_THAT(LogsumexpGradInferMeta(Meta({2, 3}), Meta({2, 1}), Meta({2, 1}),
                                     axis, true, &grad),
              IsOk());
  EXPECT_THAT(grad, IsFloats({2, 3}));
  EXPECT_THAT(LogsumexpGradInferMeta(Meta({2, 3}), Meta({3}), Meta({2}), axis,
                                     false, &grad),
              IsArgumentError("out must be of shape [2], got [3]"));
  EXPECT_THAT(LogsumexpGradInferMeta(Meta({2, 3}), Meta({2}), Meta({3}), axis,
                                     false, &grad),
              IsArgumentError("out_grad must be of shape [2], got [3]"));
}

}  // namespace
}  // namespace switchyard::phi
