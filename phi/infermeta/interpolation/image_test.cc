// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/interpolation/image.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TEST(ImageInferMetaTest, ShufflesPixels) {
  TensorSpec out;
  ASSERT_THAT(PixelShuffleInferMeta(Meta({2, 18, 4, 5}), 3, "NCHW", &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({2, 2, 12, 15}));
  ASSERT_THAT(PixelUnshuffleInferMeta(Meta({2, 4, 6, 5}), 2, "NHWC", &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({2, 2, 3, 20}));
  ASSERT_THAT(ChannelShuffleInferMeta(Meta({2, 6, 4, 5}), 3, "NCHW", &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({2, 6, 4, 5}));
}

TEST(ImageInferMetaTest, ExtentsMayBeUnknown) {
  TensorSpec out;
  const Dim s = Dim::Symbol(1);
  ASSERT_THAT(PixelShuffleInferMeta(Meta({s, 4, kUnknown, 5}), 2, "NCHW", &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({s, 1, kUnknown, 10}));
  ASSERT_THAT(PixelUnshuffleInferMeta(Meta({s, kUnknown, kUnknown, 6}), 2,
                                      "NCHW", &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({s, kUnknown, kUnknown, 3}));
}

TEST(ImageInferMetaTest, RefusesWhatDoesNotFit) {
  TensorSpec out;
  EXPECT_THAT(PixelShuffleInferMeta(Meta({18, 4, 5}), 3, "NCHW", &out),
              IsArgumentError("x must be of rank 4"));
  EXPECT_THAT(PixelShuffleInferMeta(Meta({2, 8, 4, 5}), 3, "NCHW", &out),
              IsArgumentError("x must be of a number of channels that is a "
                              "multiple of 9, got 8"));
  EXPECT_THAT(PixelShuffleInferMeta(Meta({2, 8, 4, 5}), 0, "NCHW", &out),
              IsArgumentError("upscale_factor must be 1 or more, got 0"));
  EXPECT_THAT(PixelUnshuffleInferMeta(Meta({2, 8, 4, 5}), 2, "NCHW", &out),
              IsArgumentError("x must be of a width that is a multiple of 2"));
  EXPECT_THAT(ChannelShuffleInferMeta(Meta({2, 8, 4, 5}), 3, "NCHW", &out),
              IsArgumentError("a multiple of 3, got 8"));
}

TEST(ImageInferMetaTest, SamplesAtTheGridsPositions) {
  TensorSpec out;
  const Dim s = Dim::Symbol(1);
  ASSERT_THAT(
      GridSampleInferMeta(Meta({s, 3, kUnknown, 5}), Meta({4, s, 7, kUnknown}),
                          "bilinear", "zeros", &out),
      IsOk());
  EXPECT_THAT(out, IsFloats({4, 3, s, 7}));
  EXPECT_THAT(GridSampleInferMeta(Meta({2, 3, 4, 5}), Meta({2, 6, 7, 3}),
                                  "nearest", "border", &out),
              IsArgumentError("grid must be of rank 4 and 2 numbers a "
                              "position, got [2, 6, 7, 3]"));
  EXPECT_THAT(GridSampleInferMeta(Meta({2, 3, 4, 5}), Meta({3, 6, 7, 2}),
                                  "nearest", "border", &out),
              IsArgumentError("grid must be of x's batch (2)"));
}

TEST(AffineGridInferMetaTest, TakesExtentsThatAreNotKnown) {
  TensorSpec out;
  const AttrValue some[] = {AttrValue(), AttrValue(), AttrValue(5),
                            AttrValue()};
  const AttrValue none[] = {AttrValue(), AttrValue(), AttrValue(0),
                            AttrValue()};
  const TensorSpec theta = Meta({2, 2, 3});
  ASSERT_THAT(AffineGridInferMeta(theta, some, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 5, kUnknown, 2}));
  EXPECT_THAT(AffineGridInferMeta(theta, none, &out),
              IsArgumentError("output_shape must be of extents from 1"));
  EXPECT_THAT(AffineGridInferMeta(Meta({2, 3, 4}), some, &out),
              IsArgumentError("input must be of shape [2, 2, 3]"));
}

}  // namespace
}  // namespace switchyard::phi
