// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/creation.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TEST(FullInferMetaTest, ChecksTheShape) {
  MetaTensor out;
  ASSERT_THAT(FullInferMeta({2, 0}, Scalar(1), DataType::kInt64, &out), IsOk());
  EXPECT_THAT(out, IsMeta(Shape({2, 0}), DataType::kInt64));
  EXPECT_THAT(FullInferMeta({2, -1}, Scalar(1), DataType::kInt64, &out),
              IsArgumentError("shape must be"));
  EXPECT_THAT(FullInferMeta({kHuge, kHuge}, Scalar(1), DataType::kBool, &out),
              IsSizeError());
  EXPECT_THAT(FullInferMeta({2}, Scalar(1), DataType::kUndefined, &out),
              IsArgumentError("dtype"));
}

TEST(FullLikeInferMetaTest, TakesTheDtypeThatIsGiven) {
  MetaTensor out;
  ASSERT_THAT(
      FullLikeInferMeta(Meta({2}), Scalar(1), DataType::kUndefined, &out),
      IsOk());
  EXPECT_THAT(out, IsFloats({2}));
  ASSERT_THAT(FullLikeInferMeta(Meta({2}), Scalar(1), DataType::kBool, &out),
              IsOk());
  EXPECT_THAT(out, IsMeta(Shape({2}), DataType::kBool));
}

TEST(RandomInferMetaTest, ChecksTheRng) {
  MetaTensor out;
  const MetaTensor rng = Meta({2}, DataType::kInt64);
  ASSERT_THAT(RandomInferMeta(&rng, {3}, DataType::kFloat64, &out), IsOk());
  EXPECT_THAT(out, IsMeta(Shape({3}), DataType::kFloat64));
  ASSERT_THAT(RandomInferMeta(nullptr, {3}, DataType::kFloat32, &out), IsOk());
  const MetaTensor bad = Meta({3}, DataType::kInt64);
  EXPECT_THAT(RandomInferMeta(&bad, {3}, DataType::kFloat32, &out),
              IsArgumentError("rng must be of shape [2], got [3]"));
  EXPECT_THAT(RandomInferMeta(&rng, {3}, DataType::kInt32, &out),
              IsArgumentError("dtype must be floating"));
}

}  // namespace
}  // namespace switchyard::phi
