// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/image.h"

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

}  // namespace
}  // namespace switchyard::phi
