// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/conv/conv.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

constexpr int kOnes[] = {1, 1};
constexpr int kTwos[] = {2, 2};

absl::Status Conv(const TensorSpec& input, const TensorSpec& filter,
                  TensorSpec* out, int groups = 1,
                  const char* format = "NCHW") {
  return ConvInferMeta(input, filter, kTwos, kOnes, "EXPLICIT", kOnes, groups,
                       format, out);
}

TEST(ConvInferMetaTest, InfersExtents) {
  TensorSpec out;
  ASSERT_THAT(Conv(Meta({2, 3, 8, 9}), Meta({5, 3, 3, 3}), &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 5, 4, 5}));
  ASSERT_THAT(Conv(Meta({2, 8, 9, 4}), Meta({6, 2, 3, 3}), &out, 2, "NHWC"),
              IsOk());
  EXPECT_THAT(out, IsFloats({2, 4, 5, 6}));
  ASSERT_THAT(Conv(Meta({kUnknown, 3, 8, kUnknown}), Meta({5, 3, 3, 3}), &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 5, 4, kUnknown}));
}

TEST(ConvInferMetaTest, RefusesWhatDoesNotFit) {
  TensorSpec out;
  EXPECT_THAT(Conv(Meta({2, 3, 8}), Meta({5, 3, 3, 3}), &out),
              IsArgumentError("input must be of rank 4"));
  EXPECT_THAT(Conv(Meta({2, 3, 8, 8}), Meta({5, 3, 3}), &out),
              IsArgumentError("filter must be of rank 4"));
  EXPECT_THAT(Conv(Meta({2, 3, 8, 8}), Meta({5, 4, 3, 3}), &out),
              IsArgumentError("input must be of 4 channels"));
  EXPECT_THAT(Conv(Meta({2, 6, 8, 8}), Meta({5, 3, 3, 3}), &out, 2),
              IsArgumentError("multiple of groups (2)"));
  EXPECT_THAT(Conv(Meta({2, 3, 8, 8}), Meta({5, 3, 3, 3}), &out, 0),
              IsArgumentError("groups must be 1 or more"));
  EXPECT_THAT(Conv(Meta({2, 3, 1, 8}), Meta({5, 3, 9, 3}), &out),
              IsArgumentError("filter must be windows within"));
  EXPECT_THAT(Conv(Meta({2, 3, 8, 8}), Meta({5, 3, 0, 3}), &out),
              IsArgumentError("filter must be of extents from 1"));
  EXPECT_THAT(Conv(Meta({2, 3, 8, 8}), Meta({5, 3, 3, 3}), &out, 1, "CHWN"),
              IsArgumentError("data_format must be"));
  EXPECT_THAT(
      Conv(Meta({2, 3, 8, 8}), Meta({5, 3, 3, 3}, DataType::kFloat64), &out),
      IsArgumentError("filter must be float32"));
  EXPECT_THAT(Conv(Meta({kHuge, 3, 8, 8}), Meta({kHuge, 3, 3, 3}), &out),
              IsSizeError());
}

TEST(ConvGradGradInferMetaTest, ChecksTheTangents) {
  TensorSpec input, filter, out;
  const TensorSpec tangent = Meta({2, 3, 8, 9}), other = Meta({2, 3, 8, 8});
  const auto infer = [&](const TensorSpec* by_input) {
    return ConvGradGradInferMeta(Meta({2, 3, 8, 9}), Meta({5, 3, 3, 3}),
                                 Meta({2, 5, 4, 5}), by_input, nullptr, kTwos,
                                 kOnes, "EXPLICIT", kOnes, 1, "NCHW", &input,
                                 &filter, &out);
  };
  ASSERT_THAT(infer(&tangent), IsOk());
  EXPECT_THAT(out, IsFloats({2, 5, 4, 5}));
  EXPECT_THAT(infer(&other), IsArgumentError("input_grad_grad must be"));
}

TEST(Conv3dInferMetaTest, GivesTheShape) {
  constexpr int kStrides[] = {2, 1, 1}, kPads[] = {1, 0, 0, 1, 0, 0};
  constexpr int kUnit[] = {1, 1, 1};
  TensorSpec out;
  const auto infer = [&](const TensorSpec& input, const char* format) {
    return Conv3dInferMeta(input, Meta({4, 3, 2, 2, 3}), kStrides, kPads,
                           "EXPLICIT", 1, kUnit, format, &out);
  };
  ASSERT_THAT(infer(Meta({2, 3, 5, 6, 7}), "NCDHW"), IsOk());
  EXPECT_THAT(out, IsFloats({2, 4, 3, 6, 5}));
  ASSERT_THAT(infer(Meta({2, 5, 6, 7, 3}), "NDHWC"), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 6, 5, 4}));
  ASSERT_THAT(infer(Meta({kUnknown, 3, kUnknown, 6, 7}), "AnyLayout"), IsOk());
  EXPECT_EQ(out.shape[4], Dim(5));
  EXPECT_THAT(infer(Meta({2, 3, 5, 6}), "NCDHW"),
              IsArgumentError("input must be of rank 5, got [2, 3, 5, 6]"));
  EXPECT_THAT(infer(Meta({2, 3, 5, 6, 7}), "NCHW"),
              IsArgumentError("data_format must be \"NCDHW\" or \"NDHWC\""));
}

}  // namespace
}  // namespace switchyard::phi
