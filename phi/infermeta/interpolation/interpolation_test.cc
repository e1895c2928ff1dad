// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/interpolation/interpolation.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

constexpr float kTwo[] = {2.0f};
constexpr float kFactors[] = {0.5f, 1.7f};

absl::Status Nearest(const TensorSpec& x, AttrValues out_size,
                     FloatValues scale, TensorSpec* out,
                     const char* format = "NCHW") {
  return NearestInterpInferMeta(x, out_size, -1, 7, 9, scale, format, out);
}

TEST(InterpolationInferMetaTest, InfersExtents) {
  TensorSpec out;
  const absl::Span<const float> none;
  ASSERT_THAT(Nearest(Meta({2, 3, 5, 6}), {}, none, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 7, 9}));
  ASSERT_THAT(Nearest(Meta({2, 3, 5, 6}), {}, kFactors, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 2, 10}));
  ASSERT_THAT(Nearest(Meta({2, 5, 6, 3}), {}, kTwo, &out, "NHWC"), IsOk());
  EXPECT_THAT(out, IsFloats({2, 10, 12, 3}));
  ASSERT_THAT(Nearest(Meta({2, 3, 5, 6}), {4, 8}, kTwo, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 4, 8}));
  ASSERT_THAT(Nearest(Meta({2, 3, 5, 6, 7}), {4, 8, 1}, none, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 4, 8, 1}));
}

TEST(InterpolationInferMetaTest, ExtentsMayBeUnknown) {
  TensorSpec out;
  const Dim s = Dim::Symbol(3), t = Dim::Symbol(4);
  constexpr float kOne[] = {1.0f, 2.0f};
  ASSERT_THAT(Nearest(Meta({s, 3, t, t}), {}, kOne, &out), IsOk());
  EXPECT_THAT(out, IsFloats({s, 3, t, kUnknown}));
  const AttrValue known[] = {AttrValue::Of(t), AttrValue()};
  ASSERT_THAT(Nearest(Meta({s, 3, 5, 6}), known, kTwo, &out), IsOk());
  EXPECT_THAT(out, IsFloats({s, 3, t, kUnknown}));
  ASSERT_THAT(Nearest(Meta({s, 3, 5, 6}), {}, std::nullopt, &out), IsOk());
  EXPECT_THAT(out, IsFloats({s, 3, kUnknown, kUnknown}));
}

TEST(InterpolationInferMetaTest, RefusesWhatDoesNotFit) {
  TensorSpec out;
  EXPECT_THAT(Nearest(Meta({3, 5, 6}), {}, kTwo, &out),
              IsArgumentError("x must be of rank 4 or 5"));
  EXPECT_THAT(Nearest(Meta({2, 3, 5, 6}), {4, -8}, kTwo, &out),
              IsArgumentError("out_size must be above 0, got -8"));
  EXPECT_THAT(Nearest(Meta({2, 3, 5, 6, 7}), {}, kFactors, &out),
              IsArgumentError("scale must be 1 or 3 numbers, got 2"));
  constexpr float kTiny[] = {0.1f};
  EXPECT_THAT(Nearest(Meta({2, 3, 5, 6}), {}, kTiny, &out),
              IsArgumentError("scale must be such that extents are above 0"));
  EXPECT_THAT(
      NearestInterpInferMeta(Meta({2, 3, 5, 6}), {}, 0, 0, -1,
                             absl::Span<const float>(), "NCHW", &out),
      IsArgumentError("out_h must be above 0 (without out_size and scale)"));
}

}  // namespace
}  // namespace switchyard::phi
