// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/normalization/channel_norms.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

class GroupNormInferMetaTest : public ::testing::Test {
 protected:
  absl::Status Infer(const TensorSpec& x, const TensorSpec* scale, int groups,
                     std::string_view format = "NCHW") {
    return GroupNormInferMeta(x, scale, nullptr, 1e-5, groups, format, &out_,
                              &mean_, &variance_);
  }
  TensorSpec out_, mean_, variance_;
};

TEST_F(GroupNormInferMetaTest, InfersGroups) {
  const TensorSpec scale = Meta({6});
  ASSERT_THAT(Infer(Meta({kUnknown, 6, kUnknown}), &scale, 3), IsOk());
  EXPECT_THAT(out_, IsFloats({kUnknown, 6, kUnknown}));
  EXPECT_THAT(mean_, IsFloats({kUnknown, 3}));
  ASSERT_THAT(Infer(Meta({2, 5, 6}, DataType::kFloat16), &scale, 2, "NLC"),
              IsOk());
  EXPECT_THAT(variance_, IsFloats({2, 2}));
  EXPECT_EQ(out_.dtype, DataType::kFloat16);
}

TEST_F(GroupNormInferMetaTest, Refuses) {
  EXPECT_THAT(Infer(Meta({2, 6}), nullptr, 4),
              IsArgumentError("groups must be a divisor of the channels (6)"));
  EXPECT_THAT(Infer(Meta({2, kUnknown}), nullptr, 1),
              IsArgumentError("x must be of known channels"));
  EXPECT_THAT(Infer(Meta({6}), nullptr, 1), IsArgumentError("x must be"));
  EXPECT_THAT(Infer(Meta({2, 6}), nullptr, 2, "NCWH"),
              IsArgumentError("data_format must be \"NCHW\" or \"NHWC\""));
  EXPECT_THAT(Infer(Meta({2, 6}, DataType::kInt32), nullptr, 2),
              IsArgumentError("x must be of a floating dtype"));
  TensorSpec scale = Meta({5});
  EXPECT_THAT(Infer(Meta({2, 6}), &scale, 2),
              IsArgumentError("scale must be of shape [6]"));
  scale = Meta({6}, DataType::kFloat64);
  EXPECT_THAT(Infer(Meta({2, 6}), &scale, 2),
              IsArgumentError("scale must be float32"));
}

TEST(InstanceNormInferMetaTest, InfersChannels) {
  TensorSpec out, mean, inverse;
  ASSERT_THAT(
      InstanceNormInferMeta(Meta({2, 3, 4}, DataType::kFloat64), nullptr,
                            nullptr, 1e-5, &out, &mean, &inverse),
      IsOk());
  EXPECT_THAT(inverse, IsMeta(Shape({6}), DataType::kFloat64));
  ASSERT_THAT(InstanceNormInferMeta(Meta({kUnknown, 3, 4}), nullptr, nullptr,
                                    1e-5, &out, &mean, &inverse),
              IsOk());
  EXPECT_THAT(mean, IsFloats({kUnknown}));
  const TensorSpec bias = Meta({4});
  EXPECT_THAT(InstanceNormInferMeta(Meta({2, 3, 4}), nullptr, &bias, 1e-5, &out,
                                    &mean, &inverse),
              IsArgumentError("bias must be of shape [3]"));
}

TEST(GroupNormGradInferMetaTest, ParametersMayBeAbsent) {
  const TensorSpec x = Meta({2, 6, 4}, DataType::kFloat16);
  const TensorSpec scale = Meta({6}, DataType::kFloat16);
  const TensorSpec statistics = Meta({2, 3});
  TensorSpec x_grad, scale_grad, bias_grad;
  const auto infer = [&](const TensorSpec& mean, const TensorSpec& out_grad) {
    return GroupNormGradInferMeta(x, &scale, nullptr, mean, statistics,
                                  out_grad, nullptr, &statistics, 1e-5, 3,
                                  "NCHW", &x_grad, &scale_grad, &bias_grad);
  };
  ASSERT_THAT(infer(statistics, x), IsOk());
  EXPECT_THAT(scale_grad, IsMeta(Shape({6}), DataType::kFloat16));
  EXPECT_THAT(bias_grad, IsFloats({6}));
  EXPECT_THAT(infer(Meta({2, 2}), x), IsArgumentError("mean must be"));
  EXPECT_THAT(infer(statistics, Meta({2, 6, 4})),
              IsArgumentError("out_grad must be"));
}

TEST(InstanceNormGradInferMetaTest, ParametersMayBeAbsent) {
  const TensorSpec x = Meta({2, 3, 4}), statistics = Meta({6});
  TensorSpec x_grad, scale_grad, bias_grad;
  const auto infer = [&](const TensorSpec& variance) {
    return InstanceNormGradInferMeta(x, nullptr, nullptr, statistics, variance,
                                     x, &statistics, nullptr, 1e-5, &x_grad,
                                     &scale_grad, &bias_grad);
  };
  ASSERT_THAT(infer(statistics), IsOk());
  EXPECT_THAT(x_grad, IsFloats({2, 3, 4}));
  EXPECT_THAT(scale_grad, IsFloats({3}));
  EXPECT_THAT(bias_grad, IsFloats({3}));
  EXPECT_THAT(infer(Meta({3})), IsArgumentError("saved_variance must be"));
}

}  // namespace
}  // namespace switchyard::phi
