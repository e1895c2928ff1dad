// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/indexing/graph.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TEST(SendURecvInferMetaTest, CountsNodes) {
  const TensorSpec x = Meta({4, kUnknown}, DataType::kFloat64);
  const TensorSpec edges = Meta({kUnknown}, DataType::kInt32);
  const AttrValue unknown[] = {AttrValue()};
  TensorSpec out, count;
  ASSERT_THAT(SendURecvInferMeta(x, edges, edges, "MAX", {0}, &out, &count),
              IsOk());
  EXPECT_THAT(out, IsMeta(Shape({4, kUnknown}), DataType::kFloat64));
  EXPECT_THAT(count, IsMeta(Shape({4}), DataType::kInt32));
  ASSERT_THAT(SendURecvInferMeta(x, edges, edges, "SUM", {7}, &out, &count),
              IsOk());
  EXPECT_THAT(out, IsMeta(Shape({7, kUnknown}), DataType::kFloat64));
  ASSERT_THAT(SendURecvInferMeta(x, edges, edges, "SUM", unknown, &out, &count),
              IsOk());
  EXPECT_THAT(out, IsMeta(Shape({kUnknown, kUnknown}), DataType::kFloat64));
  EXPECT_THAT(count, IsMeta(Shape({kUnknown}), DataType::kInt32));
}

}  // namespace
}  // namespace switchyard::phi
