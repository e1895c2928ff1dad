// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/normalization/normalization.h"

#include <cmath>

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

struct BatchNormResults {
  TensorSpec out, mean, variance, saved_mean, saved_variance;
};

absl::Status BatchNorm(const TensorSpec& x, const TensorSpec& statistic,
                       const TensorSpec* scale, BatchNormResults* r,
                       const char* format = "NCHW", float epsilon = 1e-5f) {
  return BatchNormInferMeta(x, statistic, statistic, scale, nullptr, false,
                            0.9f, epsilon, format, false, false, &r->out,
                            &r->mean, &r->variance, &r->saved_mean,
                            &r->saved_variance);
}

TEST(BatchNormInferMetaTest, InfersByChannel) {
  BatchNormResults r;
  const TensorSpec scale = Meta({3});
  ASSERT_THAT(BatchNorm(Meta({2, 3, 4, 5}), Meta({3}), &scale, &r), IsOk());
  EXPECT_THAT(r.out, IsFloats({2, 3, 4, 5}));
  EXPECT_THAT(r.saved_variance, IsFloats({3}));
  ASSERT_THAT(BatchNorm(Meta({2, 4, 3}), Meta({3}), nullptr, &r, "NHWC"),
              IsOk());
  const DataType kHalf = DataType::kFloat16;
  ASSERT_THAT(BatchNorm(Meta({2, 3}, kHalf), Meta({3}), nullptr, &r), IsOk());
  EXPECT_THAT(r.out, IsMeta(Shape({2, 3}), kHalf));
  EXPECT_THAT(r.mean, IsFloats({3}));
}

TEST(BatchNormInferMetaTest, RefusesWhatDoesNotFit) {
  BatchNormResults r;
  const TensorSpec wrong = Meta({4}), doubles = Meta({3}, DataType::kFloat64);
  EXPECT_THAT(BatchNorm(Meta({3}), Meta({3}), nullptr, &r),
              IsArgumentError("x must be of rank 2 to 5"));
  EXPECT_THAT(BatchNorm(Meta({2, 3}), wrong, nullptr, &r),
              IsArgumentError("mean must be of shape [3]"));
  EXPECT_THAT(BatchNorm(Meta({2, 3}), Meta({3}), &wrong, &r),
              IsArgumentError("scale must be of shape [3]"));
  EXPECT_THAT(BatchNorm(Meta({2, 3}), doubles, nullptr, &r),
              IsArgumentError("mean must be float32"));
  EXPECT_THAT(BatchNorm(Meta({2, 3}), Meta({3}), nullptr, &r, "NCL"),
              IsArgumentError("data_format must be"));
  EXPECT_THAT(BatchNorm(Meta({2, 3}), Meta({3}), nullptr, &r, "NCHW", -1),
              IsArgumentError("epsilon must be 0 or more"));
}

TEST(BatchNormGradInferMetaTest, ChecksTheGradient) {
  TensorSpec x_grad, scale_grad, bias_grad;
  const auto infer = [&](const TensorSpec& out_grad) {
    return BatchNormGradInferMeta(
        Meta({2, 3}), nullptr, nullptr, Meta({3}), Meta({3}), out_grad, 1e-5f,
        "NCHW", false, false, false, &x_grad, &scale_grad, &bias_grad);
  };
  ASSERT_THAT(infer(Meta({2, 3})), IsOk());
  EXPECT_THAT(x_grad, IsFloats({2, 3}));
  EXPECT_THAT(scale_grad, IsFloats({3}));
  EXPECT_THAT(infer(Meta({3, 2})), IsArgumentError("out_grad must be"));
}

TEST(LayerNormInferMetaTest, InfersRows) {
  TensorSpec out, mean, variance;
  const auto infer = [&](const TensorSpec& x, const TensorSpec* scale,
                         int begin) {
    return LayerNormInferMeta(x, scale, nullptr, 1e-5f, begin, &out, &mean,
                              &variance);
  };
  const TensorSpec scale = Meta({20}), wrong = Meta({4, 5});
  ASSERT_THAT(infer(Meta({2, 3, 4, 5}), &scale, 2), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 4, 5}));
  EXPECT_THAT(mean, IsFloats({6}));
  EXPECT_THAT(infer(Meta({2, 3, 4, 5}), &wrong, 2),
              IsArgumentError("scale must be of shape [20]"));
  EXPECT_THAT(infer(Meta({2, 3}), nullptr, 2),
              IsRangeError("begin_norm_axis must be in [1, 2), got 2"));
  EXPECT_THAT(infer(Meta({2, 0}), nullptr, 1),
              IsArgumentError("at least one element"));
  ASSERT_THAT(infer(Meta({kUnknown, 3}), nullptr, 1), IsOk());
  EXPECT_THAT(mean, IsFloats({kUnknown}));
}

TEST(LayerNormGradInferMetaTest, ChecksStatistics) {
  TensorSpec x_grad, scale_grad, bias_grad;
  const auto infer = [&](const TensorSpec& mean) {
    return LayerNormGradInferMeta(Meta({2, 3}), nullptr, nullptr, mean,
                                  Meta({2}), Meta({2, 3}), 1e-5f, 1, &x_grad,
                                  &scale_grad, &bias_grad);
  };
  ASSERT_THAT(infer(Meta({2})), IsOk());
  EXPECT_THAT(scale_grad, IsFloats({3}));
  EXPECT_THAT(infer(Meta({3})), IsArgumentError("mean must be of shape [2]"));
}

TEST(PNormInferMetaTest, ReducesAnAxisOrAll) {
  TensorSpec out;
  const auto infer = [&](bool keepdim, bool asvector) {
    return PNormInferMeta(Meta({2, 3, 4}), 2.0f, 1, keepdim, asvector, &out);
  };
  ASSERT_THAT(infer(false, false), IsOk());
  EXPECT_THAT(out, IsFloats({2, 4}));
  ASSERT_THAT(infer(true, false), IsOk());
  EXPECT_THAT(out, IsFloats({2, 1, 4}));
  ASSERT_THAT(infer(false, true), IsOk());
  EXPECT_THAT(out, IsFloats({}));
  ASSERT_THAT(infer(true, true), IsOk());
  EXPECT_THAT(out, IsFloats({1, 1, 1}));
  EXPECT_THAT(PNormInferMeta(Meta({2}), std::nanf(""), 0, false, false, &out),
              IsArgumentError("porder must be a number"));
  EXPECT_TRUE(IsTypeError(PNormInferMeta(Meta({2}, DataType::kInt32), 1.0f, 0,
                                         false, false, &out)));
}

}  // namespace
}  // namespace switchyard::phi
