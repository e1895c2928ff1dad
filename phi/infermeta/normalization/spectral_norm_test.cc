// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/normalization/spectral_norm.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TEST(SpectralNormInferMetaTest, HoldsTheVectorsToTheMatrix) {
  TensorSpec out;
  const TensorSpec weight = Meta({2, 3, 4});
  ASSERT_THAT(
      SpectralNormInferMeta(weight, Meta({3}), Meta({8}), -2, 1, 1e-12f, &out),
      IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 4}));
  EXPECT_THAT(
      SpectralNormInferMeta(weight, Meta({2}), Meta({8}), 1, 1, 1e-12f, &out),
      IsArgumentError("u must be of shape [3], got [2]"));
  EXPECT_THAT(
      SpectralNormInferMeta(weight, Meta({3}), Meta({9}), 1, 1, 1e-12f, &out),
      IsArgumentError("v must be of shape [8], got [9]"));
  EXPECT_THAT(SpectralNormInferMeta(weight, Meta({3}, DataType::kFloat64),
                                    Meta({8}), 1, 1, 1e-12f, &out),
              IsArgumentError("u must be float32"));
  ASSERT_THAT(SpectralNormInferMeta(Meta({kUnknown, 3}), Meta({3}),
                                    Meta({kUnknown}), 1, 1, 1e-12f, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 3}));
}

}  // namespace
}  // namespace switchyard::phi
