// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/ordering/ordering.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TEST(CumsumInferMetaTest, FlattensWhereAsked) {
  TensorSpec out;
  ASSERT_THAT(CumsumInferMeta(Meta({2, 3}), -2, false, false, false, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({2, 3}));
  ASSERT_THAT(CumsumInferMeta(Meta({2, 3}), 9, true, false, false, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({6}));
  EXPECT_THAT(CumsumInferMeta(Meta({2, 3}), 2, false, false, false, &out),
              IsRangeError("axis must be in [-2, 2), got 2"));
}

TEST(TopkInferMetaTest, ChecksK) {
  TensorSpec out, indices;
  ASSERT_THAT(TopkInferMeta(Meta({2, 3}), 2, 1, true, true, &out, &indices),
              IsOk());
  EXPECT_THAT(out, IsFloats({2, 2}));
  EXPECT_THAT(indices, IsMeta(Shape({2, 2}), DataType::kInt64));
  EXPECT_THAT(TopkInferMeta(Meta({2, 3}), 4, 1, true, true, &out, &indices),
              IsRangeError("k must be in [0, 3], got 4"));
  EXPECT_THAT(TopkInferMeta(Meta({}), 0, 0, true, true, &out, &indices),
              IsRangeError("k must be in [1, 1], got 0"));
  ASSERT_THAT(TopkInferMeta(Meta({kUnknown}), 4, 0, true, true, &out, &indices),
              IsOk());
  EXPECT_THAT(out, IsFloats({4}));
}

TEST(ArgsortInferMetaTest, KeepsTheShape) {
  TensorSpec out, indices;
  ASSERT_THAT(ArgsortInferMeta(Meta({2, 3}), 0, true, false, &out, &indices),
              IsOk());
  EXPECT_THAT(out, IsFloats({2, 3}));
  EXPECT_THAT(indices, IsMeta(Shape({2, 3}), DataType::kInt64));
  EXPECT_THAT(ArgsortInferMeta(Meta({2}), 1, true, false, &out, &indices),
              IsRangeError("axis"));
}

}  // namespace
}  // namespace switchyard::phi
