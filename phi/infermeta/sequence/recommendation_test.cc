// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/sequence/recommendation.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TEST(CvmInferMetaTest, DropsWhatIsCountedUnlessItIsUsed) {
  TensorSpec out;
  const TensorSpec rows = Meta({kUnknown, 5});
  ASSERT_THAT(CvmInferMeta(rows, Meta({1, 2}), true, &out), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 5}));
  ASSERT_THAT(CvmInferMeta(rows, Meta({kUnknown, 2}), false, &out), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 3}));
  ASSERT_THAT(CvmInferMeta(Meta({4, kUnknown}), Meta({4, 2}), false, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({4, kUnknown}));
}

TEST(CvmInferMetaTest, WantsCountsOfOneRowOrOfEach) {
  TensorSpec out;
  EXPECT_THAT(CvmInferMeta(Meta({4, 5}), Meta({3, 2}), true, &out),
              IsArgumentError("cvm"));
  EXPECT_THAT(CvmInferMeta(Meta({4, 1}), Meta({4, 2}), true, &out),
              IsArgumentError("x"));
}

}  // namespace
}  // namespace switchyard::phi
