// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/fourier/fourier.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

constexpr DataType kComplex = DataType::kComplex64;

TEST(FftC2cInferMetaTest, KeepsTheShape) {
  TensorSpec out;
  const TensorSpec x = Meta({2, kUnknown}, kComplex);
  ASSERT_THAT(FftC2cInferMeta(x, {-1, 0}, "ortho", true, &out), IsOk());
  EXPECT_THAT(out, IsMeta(Shape({2, kUnknown}), kComplex));
  EXPECT_THAT(FftC2cInferMeta(x, {1, -1}, "ortho", true, &out),
              IsArgumentError("axes must be without repetitions"));
  EXPECT_THAT(
      FftC2cInferMeta(Meta({2, kHuge, 0}, kComplex), {1}, "ortho", true, &out),
      IsArgumentError("x must be of 1 to 134217728 elements along axis "
                      "1, got 1099511627776"));
}

TEST(FftR2cInferMetaTest, HalvesTheLastAxis) {
  TensorSpec out;
  ASSERT_THAT(
      FftR2cInferMeta(Meta({8, 7}), {1, 0}, "backward", true, true, &out),
      IsOk());
  EXPECT_THAT(out, IsMeta(Shape({5, 7}), kComplex));
  ASSERT_THAT(
      FftR2cInferMeta(Meta({2, kUnknown}), {1}, "backward", true, true, &out),
      IsOk());
  EXPECT_THAT(out, IsMeta(Shape({2, kUnknown}), kComplex));
  ASSERT_THAT(FftR2cInferMeta(Meta({2, kUnknown}, DataType::kFloat64), {0},
                              "backward", true, false, &out),
              IsOk());
  EXPECT_THAT(out, IsMeta(Shape({2, kUnknown}), DataType::kComplex128));
}

TEST(FftC2rInferMetaTest, FindsTheLastExtent) {
  TensorSpec out;
  const TensorSpec x = Meta({2, 4}, kComplex);
  ASSERT_THAT(FftC2rInferMeta(x, {0, 1}, "backward", false, 0, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 6}));
  ASSERT_THAT(FftC2rInferMeta(x, {1}, "backward", false, 7, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 7}));
  EXPECT_THAT(FftC2rInferMeta(x, {1}, "backward", false, 8, &out),
              IsArgumentError("x must be of last_dim_size / 2 + 1 = 5 elements "
                              "along axis 1, got 4"));
  const TensorSpec open = Meta({kUnknown, kUnknown}, kComplex);
  ASSERT_THAT(FftC2rInferMeta(open, {1}, "backward", false, 0, &out), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, kUnknown}));
  ASSERT_THAT(FftC2rInferMeta(open, {1}, "backward", false, 9, &out), IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 9}));
}

TEST(FftC2rGradInferMetaTest, GivesTheFrequencies) {
  TensorSpec grad;
  ASSERT_THAT(
      FftC2rGradInferMeta(Meta({2, 7}), {1}, "backward", false, 7, &grad),
      IsOk());
  EXPECT_THAT(grad, IsMeta(Shape({2, 4}), kComplex));
  EXPECT_THAT(
      FftC2rGradInferMeta(Meta({2, 7}), {1}, "backward", false, 8, &grad),
      IsArgumentError("out_grad must be of last_dim_size = 8 elements along "
                      "axis 1, got 7"));
  EXPECT_THAT(
      FftC2rGradInferMeta(Meta({2, 7}), {1}, "backward", false, 0, &grad),
      IsArgumentError("last_dim_size"));
  EXPECT_THAT(FftC2rGradInferMeta(Meta({2, 7}, kComplex), {1}, "backward",
                                  false, 7, &grad),
              IsArgumentError("out_grad must be float32 or float64"));
  EXPECT_THAT(
      FftC2rGradInferMeta(Meta({2, 7}), {1}, "backward", false, -7, &grad),
      IsArgumentError("last_dim_size must be in [0, 134217728], got -7"));
}

}  // namespace
}  // namespace switchyard::phi
