// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/ordering/scan.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TEST(CumprodInferMetaTest, KeepsTheShape) {
  TensorSpec out;
  const TensorSpec x = Meta({2, kUnknown});
  ASSERT_THAT(CumprodInferMeta(x, -2, true, false, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, kUnknown}));
  EXPECT_THAT(CumprodInferMeta(x, 2, false, false, &out),
              IsRangeError("dim must be in [-2, 2), got 2"));
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

}  // namespace
}  // namespace switchyard::phi
