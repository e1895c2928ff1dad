// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/data_movement/crop.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TEST(CropInferMetaTest, CutsWhatIsKnown) {
  TensorSpec out;
  const TensorSpec x = Meta({4, kUnknown});
  ASSERT_THAT(CropInferMeta(x, {-1, 5}, {3, 1}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({1, 5}));
  ASSERT_THAT(CropInferMeta(x, {2, -1}, {}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, kUnknown}));
  const AttrValue some[] = {AttrValue(), AttrValue(1)};
  ASSERT_THAT(CropInferMeta(x, some, some, &out), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 1}));
  ASSERT_THAT(CropInferMeta(x, {-1, 2}, some, &out), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 2}));
  const AttrValue beyond[] = {AttrValue(5), AttrValue()};
  EXPECT_THAT(CropInferMeta(x, some, beyond, &out), IsRangeError("offsets"));
  EXPECT_THAT(CropInferMeta(x, {5, 1}, some, &out),
              IsArgumentError("shape must be -1 or within x"));
}

TEST(StepSliceInferMetaTest, CountsWhatIsKnown) {
  TensorSpec out;
  const TensorSpec x = Meta({7, kUnknown});
  ASSERT_THAT(StepSliceInferMeta(x, {0, 1}, {1, 0}, {9, 9}, {2, 3}, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({3, kUnknown}));
  const AttrValue late[] = {AttrValue()};
  ASSERT_THAT(StepSliceInferMeta(x, {0}, {1}, {9}, late, &out), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, kUnknown}));
  EXPECT_THAT(StepSliceInferMeta(x, {0}, {1}, {9}, {-2}, &out),
              IsArgumentError("steps must be 1 or more, got [-2]"));
  EXPECT_THAT(
      StepSliceInferMeta(x, {0}, {1, 2}, {9}, {1}, &out),
      IsArgumentError("starts, ends and steps must be as many as axes"));
}

}  // namespace
}  // namespace switchyard::phi
