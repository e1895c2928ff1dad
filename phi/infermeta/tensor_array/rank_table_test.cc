// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/tensor_array/rank_table.h"

#include "framework/tensor/tensor_array.h"
#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TensorSpec Rows(Shape shape, int levels) {
  TensorSpec x = Meta(std::move(shape));
  x.lod_levels = static_cast<uint8_t>(levels);
  return x;
}

TensorSpec Table(int level) {
  TensorSpec table = Meta({kUnknown, 2}, DataType::kInt64);
  table.lod_levels = static_cast<uint8_t>(level);
  return table;
}

TEST(RankTableInferMetaTest, ATableHasTheLevelsAbove) {
  TensorSpec out;
  ASSERT_THAT(LodRankTableInferMeta(Rows({6, 3}, 2), 1, &out), IsOk());
  EXPECT_THAT(out, IsMeta(Shape({kUnknown, 2}), DataType::kInt64));
  EXPECT_EQ(out.lod_levels, 1);
}

TEST(RankTableInferMetaTest, StepsHaveTheLevelsBelow) {
  TensorSpec array, back;
  for (const int level : {0, 1}) {
    ASSERT_THAT(
        LodTensorToArrayInferMeta(Rows({6, 3}, 2), Table(level), &array),
        IsOk());
    EXPECT_EQ(array.kind, TensorKind::kTensorArray);
    EXPECT_EQ(array.shape, ArrayShape(kUnknown, Shape({kUnknown, 3})));
    EXPECT_EQ(array.lod_levels, 1 - level);
    ASSERT_THAT(ArrayToLodTensorInferMeta(array, Table(level), &back), IsOk());
    EXPECT_THAT(back, IsFloats({kUnknown, 3}));
    EXPECT_EQ(back.lod_levels, 2);
  }
  // Nothing is known of the sequences of x.
  ASSERT_THAT(LodTensorToArrayInferMeta(Rows({6, 3}, 0), Table(0), &array),
              IsOk());
  EXPECT_EQ(array.lod_levels, 0);
}

}  // namespace
}  // namespace switchyard::phi
