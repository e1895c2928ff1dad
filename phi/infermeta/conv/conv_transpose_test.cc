// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/conv/conv_transpose.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

constexpr int kOnes[] = {1, 1};
constexpr int kTwos[] = {2, 2};
constexpr int kZeros[] = {0, 0};

struct Options {
  absl::Span<const int> strides = kTwos;
  absl::Span<const int> paddings = kZeros;
  absl::Span<const int> output_padding = {};
  AttrValues output_size = {};
  const char* algorithm = "EXPLICIT";
  int groups = 1;
  const char* format = "NCHW";
};

absl::Status Infer(const TensorSpec& x, const TensorSpec& filter, Options o,
                   TensorSpec* out) {
  return ConvTransposeInferMeta(x, filter, o.strides, o.paddings,
                                o.output_padding, o.output_size, o.algorithm,
                                o.groups, kOnes, o.format, out);
}

TEST(ConvTransposeInferMetaTest, InfersExtents) {
  TensorSpec out;
  ASSERT_THAT(Infer(Meta({2, 4, 5, 6}), Meta({4, 3, 2, 2}), {}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 10, 12}));
  Options o;
  o.groups = 2;
  o.format = "NHWC";
  ASSERT_THAT(Infer(Meta({2, 5, 6, 4}), Meta({4, 3, 3, 2}), o, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 11, 12, 6}));
  constexpr int kPaddings[] = {1, 0, 2, 1};
  o = {kTwos, kPaddings};
  ASSERT_THAT(Infer(Meta({2, 4, 5, 6}), Meta({4, 3, 3, 3}), o, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 10, 10}));
  constexpr int kMore[] = {1, 0};
  o.output_padding = kMore;
  ASSERT_THAT(Infer(Meta({2, 4, 5, 6}), Meta({4, 3, 3, 3}), o, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 11, 10}));
  constexpr int64_t kSizes[] = {10, 11};
  o.output_size = kSizes;
  ASSERT_THAT(Infer(Meta({2, 4, 5, 6}), Meta({4, 3, 3, 3}), o, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 10, 11}));
  o = {kOnes};
  o.algorithm = "SAME";
  ASSERT_THAT(Infer(Meta({2, 4, 5, 6}), Meta({4, 3, 3, 4}), o, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 5, 6}));
}

TEST(ConvTransposeInferMetaTest, ExtentsMayBeUnknown) {
  TensorSpec out;
  const Dim s = Dim::Symbol(3);
  ASSERT_THAT(Infer(Meta({s, 4, kUnknown, 6}), Meta({4, 3, 2, 2}), {}, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({s, 3, kUnknown, 12}));
  Options o;
  const AttrValue sizes[] = {AttrValue::Of(s), AttrValue()};
  o.output_size = AttrValues(sizes);
  ASSERT_THAT(Infer(Meta({1, 4, 5, kUnknown}), Meta({4, 3, 2, 2}), o, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({1, 3, s, kUnknown}));
}

TEST(ConvTransposeInferMetaTest, RefusesWhatDoesNotFit) {
  TensorSpec out;
  EXPECT_THAT(Infer(Meta({2, 4, 5}), Meta({4, 3, 2, 2}), {}, &out),
              IsArgumentError("x must be of rank 4"));
  EXPECT_THAT(Infer(Meta({2, 5, 5, 6}), Meta({4, 3, 2, 2}), {}, &out),
              IsArgumentError("filter must be of 5 filters (x's channels)"));
  Options o;
  constexpr int64_t kLong[] = {12, 12};
  o.output_size = kLong;
  EXPECT_THAT(Infer(Meta({2, 4, 5, 6}), Meta({4, 3, 2, 2}), o, &out),
              IsArgumentError("output_size must be from 10 to 11, got 12"));
  constexpr int64_t kNegative[] = {-1, 12};
  o.output_size = kNegative;
  EXPECT_THAT(Infer(Meta({2, 4, kUnknown, 6}), Meta({4, 3, 2, 2}), o, &out),
              IsArgumentError("output_size must be above 0, got -1"));
  o = {kTwos, kOnes};
  EXPECT_THAT(Infer(Meta({2, 4, 1, 6}), Meta({4, 3, 2, 2}), o, &out),
              IsArgumentError("x must be such that the result has elements "
                              "along height, got 1"));
  constexpr int kMany[] = {2, 2};
  o = {kTwos, kZeros, kMany};
  EXPECT_THAT(
      Infer(Meta({2, 4, 5, 6}), Meta({4, 3, 2, 2}), o, &out),
      IsArgumentError("output_padding must be from 0 and below stride or "
                      "dilation (2), got 2"));
  o = {};
  o.groups = 3;
  EXPECT_THAT(Infer(Meta({2, 4, 5, 6}), Meta({4, 3, 2, 2}), o, &out),
              IsArgumentError("x must be of channels that are a multiple of "
                              "groups (3), got 4"));
  constexpr int kFar[] = {2147483647, 1};
  o = {kFar};
  EXPECT_THAT(Infer(Meta({2, 4, kHuge, 6}), Meta({4, 3, 2, 2}), o, &out),
              IsSizeError());
}

}  // namespace
}  // namespace switchyard::phi
