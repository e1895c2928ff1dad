// SPDX-License-Identifier: Apache-2.0
// Unknown extents, and sequences (LoD), of the operators on a detector's boxes;
// their errors are among the samples.
#include "phi/infermeta/detection/boxes.h"

#include "phi/infermeta/detection/detection.h"
#include "phi/infermeta/detection/matching.h"
#include "phi/infermeta/detection/prior_boxes.h"
#include "phi/infermeta/detection/proposals.h"
#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TensorSpec Sequences(Shape shape) {
  TensorSpec meta = Meta(std::move(shape));
  meta.lod_levels = 1;
  return meta;
}

TEST(PriorBoxInferMetaTest, CountsTheBoxesOfACell) {
  const float sizes[] = {4, 8}, largest[] = {6, 9}, ratios[] = {2, 1, 2, 3};
  const float variances[] = {0.1f, 0.1f, 0.2f, 0.2f};
  TensorSpec out, var;
  // Ratios 1, 2, 1/2, 3, 1/3 for two sizes, and two squares.
  ASSERT_THAT(
      PriorBoxInferMeta(Meta({1, 2, kUnknown, 7}), Meta({1, 3, 9, 9}), sizes,
                        largest, ratios, variances, true, 0, 0, &out, &var),
      IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 7, 12, 4}));
  EXPECT_THAT(var, IsFloats({kUnknown, 7, 12, 4}));
  ASSERT_THAT(PriorBoxInferMeta(Meta({1, 2, 5, 7}), Meta({1, 3, 9, 9}), sizes,
                                {}, ratios, variances, false, 0, 0, &out, &var),
              IsOk());
  EXPECT_THAT(out, IsFloats({5, 7, 6, 4}));
  EXPECT_THAT(
      PriorBoxInferMeta(Meta({1, 2, kHuge, kHuge}), Meta({1, 3, 9, 9}), sizes,
                        {}, ratios, variances, false, 0, 0, &out, &var),
      IsSizeError());
}

TEST(DensityPriorBoxInferMetaTest, FlattensAllAxesButTheLast) {
  const float sizes[] = {4, 8}, ratios[] = {1, 2};
  const float variances[] = {0.1f, 0.1f, 0.2f, 0.2f};
  const int densities[] = {2, 3};
  TensorSpec out, var;
  ASSERT_THAT(DensityPriorBoxInferMeta(Meta({1, 2, 5, 7}), Meta({1, 3, 9, 9}),
                                       sizes, ratios, densities, variances,
                                       true, 0, 0, &out, &var),
              IsOk());
  EXPECT_THAT(out, IsFloats({5 * 7 * 26, 4}));
  ASSERT_THAT(DensityPriorBoxInferMeta(
                  Meta({1, 2, kUnknown, 7}), Meta({1, 3, 9, 9}), sizes, ratios,
                  densities, variances, true, 0, 0, &out, &var),
              IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 4}));
}

TEST(BoxCoderInferMetaTest, TakesExtentsAndSequencesFromWhereTheyAre) {
  TensorSpec out;
  ASSERT_THAT(BoxCoderInferMeta(Meta({kUnknown, 4}), nullptr, Sequences({3, 4}),
                                "encode_center_size", 0, {}, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({3, kUnknown, 4}));
  EXPECT_EQ(out.lod_levels, 1);
  ASSERT_THAT(BoxCoderInferMeta(Meta({5, 4}), nullptr,
                                Sequences({kUnknown, kUnknown, 4}),
                                "decode_center_size", 0, {}, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 5, 4}));
  EXPECT_EQ(out.lod_levels, 1);
  ASSERT_THAT(
      BoxCoderInferMeta(Meta({5, 4}), nullptr, Sequences({5, kUnknown, 4}),
                        "decode_center_size", 1, {}, &out),
      IsOk());
  EXPECT_EQ(out.lod_levels, 0);
}

TEST(YoloBoxInferMetaTest, MultipliesTheExtentsThatAreKnown) {
  const int anchors[] = {10, 13, 16, 30};
  TensorSpec boxes, scores;
  ASSERT_THAT(YoloBoxInferMeta(Meta({kUnknown, 14, 3, 4}),
                               Meta({2, 2}, DataType::kInt32), anchors, 2, 32,
                               false, 0.5f, &boxes, &scores),
              IsOk());
  EXPECT_THAT(boxes, IsFloats({2, 24, 4}));
  EXPECT_THAT(scores, IsFloats({2, 24, 2}));
  ASSERT_THAT(YoloBoxInferMeta(Meta({1, 14, kUnknown, 4}),
                               Meta({1, 2}, DataType::kInt32), anchors, 2, 32,
                               false, 0.5f, &boxes, &scores),
              IsOk());
  EXPECT_THAT(boxes, IsFloats({1, kUnknown, 4}));
}

TEST(BipartiteMatchInferMetaTest, SequencesAreTheImages) {
  TensorSpec indices, dists;
  ASSERT_THAT(
      BipartiteMatchInferMeta(Meta({6, 9}), "bipartite", &indices, &dists),
      IsOk());
  EXPECT_THAT(indices, IsMeta(Shape({1, 9}), DataType::kInt32));
  ASSERT_THAT(
      BipartiteMatchInferMeta(Sequences({6, 9}), "bipartite", &indices, &dists),
      IsOk());
  EXPECT_THAT(dists, IsFloats({kUnknown, 9}));
}

TEST(MulticlassNmsLodInferMetaTest, ResultsAreSequences) {
  TensorSpec out, index;
  ASSERT_THAT(MulticlassNmsLodInferMeta(Meta({kUnknown, 5, 4}), Meta({2, 3, 5}),
                                        false, &out, &index),
              IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 6}));
  EXPECT_EQ(out.lod_levels, 1);
  EXPECT_THAT(index, IsMeta(Shape({kUnknown, 1}), DataType::kInt32));
  // One number marks that there is no box.
  ASSERT_THAT(MulticlassNmsLodInferMeta(Meta({7, 5, 4}), Meta({7, 5}), true,
                                        &out, &index),
              IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, kUnknown}));
}

TEST(PyramidInferMetaTest, KnowsTheNumberOfImagesFromTheirNumbers) {
  TensorSpec low, high, restore, low_num, high_num;
  TensorSpec* const rois[] = {&low, &high};
  TensorSpec* const numbers[] = {&low_num, &high_num};
  const int levels[] = {2, 3};
  const TensorSpec rois_num = Meta({3}, DataType::kInt32);
  ASSERT_THAT(
      DistributeFpnProposalsInferMeta(Sequences({8, 4}), &rois_num, levels, 3,
                                      224, rois, &restore, numbers),
      IsOk());
  EXPECT_THAT(high, IsFloats({kUnknown, 4}));
  EXPECT_EQ(high.lod_levels, 1);
  EXPECT_THAT(high_num, IsMeta(Shape({3}), DataType::kInt32));
  EXPECT_THAT(restore, IsMeta(Shape({8, 1}), DataType::kInt32));
  ASSERT_THAT(
      DistributeFpnProposalsInferMeta(Sequences({8, 4}), nullptr, levels, 3,
                                      224, rois, &restore, numbers),
      IsOk());
  EXPECT_THAT(low_num, IsMeta(Shape({kUnknown}), DataType::kInt32));

  const TensorSpec one = Sequences({8, 4}), scores = Meta({kUnknown, 1});
  const TensorSpec *const all[] = {&one}, *const all_scores[] = {&scores};
  TensorSpec best, count;
  ASSERT_THAT(
      CollectFpnProposalsInferMeta(all, all_scores, {}, 5, &best, &count),
      IsOk());
  EXPECT_THAT(best, IsFloats({kUnknown, 4}));
  EXPECT_THAT(count, IsMeta(Shape({kUnknown}), DataType::kInt32));
}

}  // namespace
}  // namespace switchyard::phi
