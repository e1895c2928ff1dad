// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/indexing/counting.h"

#include <limits>

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

constexpr DataType kInt32 = DataType::kInt32, kInt64 = DataType::kInt64;

TEST(LegacyUniqueInferMetaTest, LeavesTheNumberOpen) {
  TensorSpec out, indices, inverse, counts;
  const auto infer = [&](const std::vector<int>& axis, DataType dtype) {
    return LegacyUniqueInferMeta(Meta({2, 3}), axis, dtype, true, &out,
                                 &indices, &inverse, &counts);
  };
  ASSERT_THAT(infer({}, kInt32), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown}));
  EXPECT_THAT(inverse, IsMeta(Shape({6}), kInt32));
  EXPECT_THAT(counts, IsMeta(Shape({kUnknown}), kInt32));
  ASSERT_THAT(infer({-1}, kInt64), IsOk());
  EXPECT_THAT(out, IsFloats({2, kUnknown}));
  EXPECT_THAT(inverse, IsMeta(Shape({3}), kInt64));
  EXPECT_THAT(infer({0, 1}, kInt64), IsArgumentError("axis"));
  EXPECT_THAT(infer({2}, kInt64), IsRangeError("axis"));
  EXPECT_THAT(infer({}, DataType::kFloat32),
              IsArgumentError("dtype must be int32 or int64, got float32"));
}

TEST(UniqueConsecutiveInferMetaTest, FollowsUnique) {
  TensorSpec out, index, counts;
  ASSERT_THAT(UniqueConsecutiveInferMeta(Meta({2, 3}), false, false, {}, kInt64,
                                         &out, &index, &counts),
              IsOk());
  EXPECT_THAT(index, IsMeta(Shape({6}), kInt64));
}

TEST(SearchsortedInferMetaTest, ComparesRows) {
  TensorSpec out;
  ASSERT_THAT(SearchsortedInferMeta(Meta({5}), Meta({2, 3}), true, false, &out),
              IsOk());
  EXPECT_THAT(out, IsMeta(Shape({2, 3}), kInt32));
  EXPECT_THAT(
      SearchsortedInferMeta(Meta({2, 5}), Meta({2, 3}), false, false, &out),
      IsOk());
  EXPECT_THAT(out, IsMeta(Shape({2, 3}), kInt64));
  EXPECT_THAT(
      SearchsortedInferMeta(Meta({2, 5}), Meta({3, 3}), false, false, &out),
      IsArgumentError("values"));
  EXPECT_THAT(SearchsortedInferMeta(Meta({}), Meta({3}), false, false, &out),
              IsArgumentError("sorted_sequence"));
}

TEST(HistogramInferMetaTest, CountsOrWeighs) {
  TensorSpec out;
  const TensorSpec x = Meta({4}), weight = Meta({3});
  ASSERT_THAT(HistogramInferMeta(x, nullptr, 5, 0, 1, false, &out), IsOk());
  EXPECT_THAT(out, IsMeta(Shape({5}), kInt64));
  ASSERT_THAT(HistogramInferMeta(x, &x, 5, 0, 1, false, &out), IsOk());
  EXPECT_THAT(out, IsFloats({5}));
  EXPECT_THAT(HistogramInferMeta(x, nullptr, 0, 0, 1, false, &out),
              IsArgumentError("bins must be 1 or more, got 0"));
  EXPECT_THAT(HistogramInferMeta(x, nullptr, 5, 2, 1, false, &out),
              IsArgumentError("max"));
  EXPECT_THAT(
      HistogramInferMeta(x, nullptr, 5, std::numeric_limits<float>::infinity(),
                         1, false, &out),
      IsArgumentError("min"));
  EXPECT_THAT(HistogramInferMeta(x, &weight, 5, 0, 1, false, &out),
              IsArgumentError("weight"));
}

TEST(BincountInferMetaTest, TakesTheDtypeOfWeights) {
  TensorSpec out;
  const TensorSpec x = Meta({4}, kInt64), weights = Meta({4}, kInt32);
  ASSERT_THAT(BincountInferMeta(x, nullptr, 0, &out), IsOk());
  EXPECT_THAT(out, IsMeta(Shape({kUnknown}), kInt64));
  ASSERT_THAT(BincountInferMeta(x, &weights, 0, &out), IsOk());
  EXPECT_THAT(out, IsMeta(Shape({kUnknown}), DataType::kFloat64));
  EXPECT_THAT(BincountInferMeta(x, nullptr, -1, &out),
              IsArgumentError("minlength"));
  EXPECT_THAT(BincountInferMeta(Meta({4, 1}, kInt64), nullptr, 0, &out),
              IsArgumentError("x must be of rank 1"));
}

TEST(ShardIndexInferMetaTest, ChecksTheShard) {
  TensorSpec out;
  const TensorSpec x = Meta({4}, kInt64);
  EXPECT_THAT(ShardIndexInferMeta(x, 20, 2, 1, -1, &out), IsOk());
  EXPECT_THAT(ShardIndexInferMeta(x, 0, 2, 1, -1, &out),
              IsArgumentError("index_num"));
  EXPECT_THAT(ShardIndexInferMeta(x, 20, 0, 0, -1, &out),
              IsArgumentError("nshards"));
  EXPECT_THAT(ShardIndexInferMeta(x, 20, 2, 2, -1, &out),
              IsRangeError("shard_id must be in [0, 2), got 2"));
}

TEST(EqualAllInferMetaTest, TakesAnyShapes) {
  TensorSpec out;
  ASSERT_THAT(EqualAllInferMeta(Meta({4}), Meta({2, 3}), &out), IsOk());
  EXPECT_THAT(out, IsMeta(Shape(), DataType::kBool));
  EXPECT_THAT(EqualAllInferMeta(Meta({4}), Meta({4}, kInt64), &out),
              IsArgumentError("y"));
}

}  // namespace
}  // namespace switchyard::phi
