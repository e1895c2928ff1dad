// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/nn/loss.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

constexpr int kIgnored = -100;

TEST(SmoothL1LossGradInferMetaTest, ChecksWeightsAndGradient) {
  TensorSpec x_grad, y_grad;
  const TensorSpec diff = Meta({4, 3, 2}), narrow = Meta({4, 3});
  ASSERT_THAT(SmoothL1LossGradInferMeta(nullptr, &diff, diff, Meta({4, 1}), 1,
                                        &x_grad, &y_grad),
              IsOk());
  EXPECT_THAT(x_grad, IsFloats({4, 3, 2}));
  EXPECT_THAT(y_grad, IsFloats({4, 3, 2}));
  EXPECT_THAT(SmoothL1LossGradInferMeta(&narrow, nullptr, diff, Meta({4, 1}), 1,
                                        &x_grad, &y_grad),
              IsArgumentError("inside_weight must be of shape [4, 3, 2]"));
  EXPECT_THAT(SmoothL1LossGradInferMeta(nullptr, &narrow, diff, Meta({4, 1}), 1,
                                        &x_grad, &y_grad),
              IsArgumentError("outside_weight must be of shape [4, 3, 2]"));
  EXPECT_THAT(SmoothL1LossGradInferMeta(nullptr, nullptr, diff, Meta({4}), 1,
                                        &x_grad, nullptr),
              IsArgumentError("out_grad must be of shape [4, 1], got [4]"));
  EXPECT_THAT(SmoothL1LossGradInferMeta(nullptr, nullptr, Meta({4}), Meta({4}),
                                        1, &x_grad, nullptr),
              IsArgumentError("diff"));
}

TEST(HuberLossGradInferMetaTest, WantsEqualShapes) {
  TensorSpec input_grad, label_grad;
  ASSERT_THAT(HuberLossGradInferMeta(Meta({4, kUnknown}), Meta({4, 3}), 1,
                                     &input_grad, &label_grad),
              IsOk());
  EXPECT_THAT(label_grad, IsFloats({4, kUnknown}));
  EXPECT_THAT(
      HuberLossGradInferMeta(Meta({4}), Meta({3}), 1, &input_grad, &label_grad),
      IsArgumentError("out_grad must be of shape [4], got [3]"));
}

TEST(LogLossGradInferMetaTest, WantsEqualShapes) {
  TensorSpec grad;
  EXPECT_THAT(LogLossGradInferMeta(Meta({4}), Meta({4}), Meta({4}), 0, &grad),
              IsOk());
  EXPECT_THAT(LogLossGradInferMeta(Meta({4}), Meta({3}), Meta({4}), 0, &grad),
              IsArgumentError("label"));
  EXPECT_THAT(LogLossGradInferMeta(Meta({4}), Meta({4}), Meta({3}), 0, &grad),
              IsArgumentError("out_grad"));
}

TEST(CrossEntropy2GradInferMetaTest, ChecksTheProbabilities) {
  TensorSpec grad;
  const TensorSpec label = Meta({4}, DataType::kInt64);
  EXPECT_THAT(CrossEntropy2GradInferMeta(Meta({4, 5}), label, Meta({4, 1}),
                                         Meta({4}), kIgnored, &grad),
              IsOk());
  EXPECT_THAT(CrossEntropy2GradInferMeta(Meta({4, 5}), label, Meta({4}),
                                         Meta({4}), kIgnored, &grad),
              IsArgumentError("match_x must be of shape [4, 1], got [4]"));
}

TEST(BceLossInferMetaTest, TakesTensorsOfOneKind) {
  TensorSpec out;
  const TensorSpec x = Meta({4, kUnknown});
  ASSERT_THAT(BceLossInferMeta(x, Meta({4, 5}), &out), IsOk());
  EXPECT_THAT(out, IsFloats({4, kUnknown}));
  EXPECT_THAT(BceLossInferMeta(x, Meta({3, 5}), &out),
              IsArgumentError("label"));
}

}  // namespace
}  // namespace switchyard::phi
