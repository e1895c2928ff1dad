// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/sequence/sequence.h"

#include <climits>

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TensorSpec Rows(Shape shape, int levels = 1) {
  TensorSpec x = Meta(std::move(shape));
  x.lod_levels = static_cast<uint8_t>(levels);
  return x;
}

TEST(SequenceInferMetaTest, RowsThatSequencesDecideAreUnknown) {
  TensorSpec out, index;
  ASSERT_THAT(SequencePoolInferMeta(Rows({6, 3}, 2), "MAX", &out, &index),
              IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 3}));
  EXPECT_EQ(out.lod_levels, 1);
  EXPECT_THAT(index, IsMeta(Shape({kUnknown, 3}), DataType::kInt32));
  ASSERT_THAT(SequencePoolInferMeta(Rows({6, 3}), "SUM", &out, &index), IsOk());
  EXPECT_EQ(out.lod_levels, 0);
  EXPECT_THAT(index, IsMeta(Shape({0}), DataType::kInt32));
  ASSERT_THAT(SequenceExpandInferMeta(Rows({2, 3}), Rows({6, 1}), -1, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 3}));
  EXPECT_EQ(out.lod_levels, 1);
  ASSERT_THAT(SequenceReshapeInferMeta(Rows({6, 2}), 4, &out), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 4}));
}

TEST(SequenceInferMetaTest, ConvKeepsRowsAndLevels) {
  TensorSpec out;
  const TensorSpec x = Rows({kUnknown, 4}), filter = Meta({12, 5});
  ASSERT_THAT(SequenceConvInferMeta(x, nullptr, filter, 3, false, -1, 1, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 5}));
  EXPECT_EQ(out.lod_levels, 1);
  // Two rows before and none after.
  const TensorSpec padding = Meta({2, 4});
  EXPECT_THAT(SequenceConvInferMeta(x, &padding, filter, 3, true, -2, 1, &out),
              IsOk());
  EXPECT_THAT(
      SequenceConvInferMeta(x, &padding, filter, 3, true, -3, 1, &out),
      IsArgumentError("padding_data must be of shape [3, 4], got [2, 4]"));
  EXPECT_THAT(SequenceConvInferMeta(x, nullptr, filter, INT_MAX, false, INT_MAX,
                                    1, &out),
              IsArgumentError("filter must be of shape"));
}

TEST(SequenceInferMetaTest, GradientsAreLikeResults) {
  TensorSpec x_grad;
  const TensorSpec x = Rows({6, 3}), none = Meta({0}, DataType::kInt32);
  EXPECT_THAT(SequencePoolGradInferMeta(x, &none, Meta({2, 3}), "SUM", &x_grad),
              IsOk());
  EXPECT_THAT(x_grad, IsFloats({6, 3}));
  EXPECT_THAT(SequencePoolGradInferMeta(x, &none, Meta({2, 4}), "SUM", &x_grad),
              IsArgumentError("out_grad must be of shape [?, 3], got [2, 4]"));
  EXPECT_THAT(SequencePoolGradInferMeta(x, &none, Meta({2, 3}), "MAX", &x_grad),
              IsArgumentError("max_index must be of shape [?, 3], got [0]"));
}

TEST(SequenceInferMetaTest, WithSequencesTakesLevelsAlone) {
  TensorSpec out;
  ASSERT_THAT(WithSequencesInferMeta(Rows({6, 3}, 1), Rows({2}, 2), &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({6, 3}));
  EXPECT_EQ(out.lod_levels, 2);
}

}  // namespace
}  // namespace switchyard::phi
