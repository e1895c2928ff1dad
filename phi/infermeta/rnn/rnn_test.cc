// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/rnn/rnn.h"

#include <string>
#include <vector>

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

// A GRU of one layer, hidden 2, over x.
absl::Status InferGru(const TensorSpec& x, bool both, TensorSpec* out,
                      TensorSpec* reserve) {
  const int64_t directions = both ? 2 : 1;
  const TensorSpec state = Meta({directions, kUnknown, 2});
  const TensorSpec input = Meta({6, 3}), own = Meta({6, 2}), bias = Meta({6});
  std::vector<const TensorSpec*> weights;
  for (int64_t d = 0; d < directions; ++d) {
    weights.insert(weights.end(), {&input, &own});
  }
  weights.insert(weights.end(), 2 * directions, &bias);
  TensorSpec kept, last;
  const std::vector<const TensorSpec*> states = {&state};
  const std::vector<TensorSpec*> lasts = {&last};
  return RnnInferMeta(x, states, weights, nullptr, nullptr, 0.0f, both, 3, 2, 1,
                      "GRU", false, 0, out, &kept, lasts, reserve);
}

TEST(RnnInferMetaTest, GivesTheShapes) {
  TensorSpec out, reserve;
  ASSERT_THAT(InferGru(Meta({5, 4, 3}), true, &out, &reserve), IsOk());
  EXPECT_THAT(out, IsFloats({5, 4, 4}));
  EXPECT_THAT(reserve, IsFloats({1, 2, 5, 4, 10}));
}

TEST(RnnInferMetaTest, TakesUnknownExtents) {
  TensorSpec out, reserve;
  ASSERT_THAT(
      InferGru(Meta({kUnknown, kUnknown, kUnknown}), false, &out, &reserve),
      IsOk());
  EXPECT_EQ(out.shape.rank(), 3);
  EXPECT_EQ(out.shape[2], Dim(2));
}

TEST(RnnInferMetaTest, ChecksTheWidth) {
  TensorSpec out, reserve;
  EXPECT_THAT(
      InferGru(Meta({5, 4, 2}), false, &out, &reserve),
      IsArgumentError("weight_list must be of shape [6, 2], got [6, 3]"));
  EXPECT_THAT(InferGru(Meta({5, 4}), false, &out, &reserve),
              IsArgumentError("x must be of rank 3, got [5, 4]"));
  EXPECT_THAT(InferGru(Meta({kHuge, kHuge, 3}), false, &out, &reserve),
              IsSizeError());
}

}  // namespace
}  // namespace switchyard::phi
