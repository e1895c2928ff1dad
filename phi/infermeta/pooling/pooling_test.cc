// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/pooling/pooling.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

constexpr int kTwos[] = {2, 2};
constexpr int kZeros[] = {0, 0};
constexpr int64_t kThrees[] = {3, 3};

struct Options {
  bool ceil_mode = false;
  const char* format = "NCHW";
  const char* type = "max";
  bool global = false;
  bool adaptive = false;
};

absl::Status Pool(const TensorSpec& x, AttrValues kernel, Options o,
                  TensorSpec* out) {
  return Pool2dInferMeta(x, kernel, kTwos, kZeros, o.ceil_mode, true, o.format,
                         o.type, o.global, o.adaptive, "EXPLICIT", out);
}

TEST(Pool2dInferMetaTest, InfersExtents) {
  TensorSpec out;
  ASSERT_THAT(Pool(Meta({2, 5, 8, 9}), kThrees, {}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 5, 3, 4}));
  ASSERT_THAT(Pool(Meta({2, 5, 8, 9}), kThrees, {true}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 5, 4, 4}));
  ASSERT_THAT(Pool(Meta({2, 8, 9, 5}), kThrees, {false, "NHWC"}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 4, 5}));
  ASSERT_THAT(Pool(Meta({2, 5, kUnknown, 9}), kThrees,
                   {false, "NCHW", "avg", true}, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({2, 5, 1, 1}));
  ASSERT_THAT(Pool(Meta({2, 5, 8, 9}), kThrees,
                   {false, "NCHW", "avg", false, true}, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({2, 5, 3, 3}));
}

TEST(Pool2dInferMetaTest, TakesWindowsThatAProgramSupplies) {
  TensorSpec out;
  const Dim symbol = Dim::Symbol(1);
  const AttrValue kernel[] = {AttrValue(), 3};
  ASSERT_THAT(Pool(Meta({2, 5, 8, 9}), kernel, {}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 5, kUnknown, 4}));
  ASSERT_THAT(
      Pool(Meta({2, 5, 8, 9}), kernel, {false, "NCHW", "avg", true}, &out),
      IsOk());
  EXPECT_THAT(out, IsFloats({2, 5, 1, 1}));
  const AttrValue sizes[] = {AttrValue::Of(symbol), AttrValue()};
  ASSERT_THAT(Pool(Meta({2, 5, 8, 9}), sizes,
                   {false, "NCHW", "avg", false, true}, &out),
              IsOk());
  EXPECT_EQ(out.shape[2], symbol);
  EXPECT_FALSE(out.shape[3].known());
  // Known numbers are checked, and how many there are.
  const AttrValue bad[] = {AttrValue(), 0};
  EXPECT_THAT(
      Pool(Meta({2, 5, 8, 9}), bad, {}, &out),
      IsArgumentError("kernel_size must be 2 numbers from 1, got {?, 0}"));
  EXPECT_THAT(
      Pool(Meta({2, 5, 8, 9}), absl::MakeConstSpan(kernel, 1), {}, &out),
      IsArgumentError("kernel_size must be 2 numbers from 1"));
}

TEST(Pool2dInferMetaTest, AWindowMayReachPastTheEdge) {
  TensorSpec out;
  ASSERT_THAT(Pool(Meta({2, 5, 2, 9}), kThrees, {}, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 5, 1, 4}));
}

TEST(Pool2dInferMetaTest, RefusesWhatDoesNotFit) {
  TensorSpec out;
  EXPECT_THAT(Pool(Meta({5, 8, 9}), kThrees, {}, &out),
              IsArgumentError("x must be of rank 4"));
  EXPECT_THAT(Pool(Meta({2, 5, 1, 9}), kThrees, {}, &out),
              IsArgumentError("kernel_size must be windows within"));
  constexpr int64_t kBad[] = {3, 0};
  EXPECT_THAT(Pool(Meta({2, 5, 8, 9}), kBad, {}, &out),
              IsArgumentError("kernel_size must be 2 numbers from 1"));
  EXPECT_THAT(Pool(Meta({2, 5, 8, 9}), kThrees, {false, "NCHW", "min"}, &out),
              IsArgumentError("pooling_type must be"));
  EXPECT_THAT(Pool(Meta({2, 5, 8, 9}), kThrees, {false, "HWCN"}, &out),
              IsArgumentError("data_format must be"));
  EXPECT_THAT(
      Pool(Meta({2, 5, 0, 9}), kThrees, {false, "NCHW", "avg", true}, &out),
      IsArgumentError("x must be of extents from 1"));
}

TEST(Pool2dInferMetaTest, RefusesWindowsOfPaddingAlone) {
  TensorSpec out;
  constexpr int kWide[] = {0, 3};
  EXPECT_THAT(
      Pool2dInferMeta(Meta({2, 5, 8, 9}), kThrees, kTwos, kWide, false, true,
                      "NCHW", "max", false, false, "EXPLICIT", &out),
      IsArgumentError("paddings must be smaller than kernel_size (3)"));
}

TEST(Pool2dDoubleGradInferMetaTest, ChecksTheGradient) {
  TensorSpec grad;
  const auto infer = [&](const TensorSpec& out, const TensorSpec& tangent) {
    return Pool2dDoubleGradInferMeta(Meta({2, 5, 8, 9}), out, tangent, kThrees,
                                     kTwos, kZeros, false, true, "NCHW", "max",
                                     false, false, "EXPLICIT", &grad);
  };
  const TensorSpec right = Meta({2, 5, 3, 4}), wrong = Meta({2, 5, 3, 3});
  ASSERT_THAT(infer(right, Meta({2, 5, 8, 9})), IsOk());
  EXPECT_THAT(grad, IsFloats({2, 5, 3, 4}));
  EXPECT_THAT(infer(wrong, Meta({2, 5, 8, 9})), IsArgumentError("out must be"));
  EXPECT_THAT(infer(right, right), IsArgumentError("x_grad_grad must be"));
}

}  // namespace
}  // namespace switchyard::phi
