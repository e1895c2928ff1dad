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

TEST(CrossEntropyGradInferMetaTest, TakesLabelsWithAndWithoutTheAxis) {
  TensorSpec grad;
  const auto infer = [&](Shape label, Shape out_grad, bool soft) {
    const DataType dtype = soft ? DataType::kFloat32 : DataType::kInt64;
    return CrossEntropyGradInferMeta(Meta({4, 5}), Meta(label, dtype),
                                     Meta(out_grad), soft, kIgnored, &grad);
  };
  EXPECT_THAT(infer({4, 1}, {4, 1}, false), IsOk());
  EXPECT_THAT(infer({4}, {4}, false), IsOk());
  EXPECT_THAT(infer({4, 5}, {4, 1}, true), IsOk());
  EXPECT_THAT(grad, IsFloats({4, 5}));
  EXPECT_THAT(infer({4}, {4, 1}, false), IsArgumentError("out_grad"));
  EXPECT_THAT(infer({3}, {4}, false), IsArgumentError("label"));
  EXPECT_THAT(infer({4, 2}, {4, 1}, false), IsArgumentError("label"));
  EXPECT_THAT(infer({4, 1}, {4, 1}, true), IsArgumentError("label"));
  EXPECT_THAT(CrossEntropyGradInferMeta(Meta({4, 5}), Meta({4}), Meta({4}),
                                        false, kIgnored, &grad),
              StatusIs(absl::StatusCode::kInvalidArgument));
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

TEST(BceLossGradInferMetaTest, TakesTensorsOfOneKind) {
  TensorSpec grad;
  const TensorSpec x = Meta({4, kUnknown});
  EXPECT_THAT(BceLossInferMeta(x, Meta({3, 5}), &grad),
              IsArgumentError("label"));
  ASSERT_THAT(BceLossGradInferMeta(x, Meta({4, 5}), x, &grad), IsOk());
  EXPECT_THAT(grad, IsFloats({4, kUnknown}));
  EXPECT_THAT(BceLossGradInferMeta(x, Meta({5}), x, &grad),
              IsArgumentError("label"));
  EXPECT_THAT(BceLossGradInferMeta(x, x, Meta({3, 5}), &grad),
              IsArgumentError("out_grad"));
}

TEST(SigmoidCrossEntropyGradInferMetaTest, BroadcastsTheWeight) {
  TensorSpec grad;
  const TensorSpec x = Meta({4, 5}), row = Meta({5}), other = Meta({4});
  EXPECT_THAT(
      SigmoidCrossEntropyGradInferMeta(x, x, &row, x, false, kIgnored, &grad),
      IsOk());
  EXPECT_THAT(
      SigmoidCrossEntropyGradInferMeta(x, x, &other, x, false, kIgnored, &grad),
      IsArgumentError("pos_weight"));
  EXPECT_THAT(SigmoidCrossEntropyGradInferMeta(x, row, nullptr, x, false,
                                               kIgnored, &grad),
              IsArgumentError("label"));
  EXPECT_THAT(SigmoidCrossEntropyGradInferMeta(x, x, nullptr, row, false,
                                               kIgnored, &grad),
              IsArgumentError("out_grad"));
}

}  // namespace
}  // namespace switchyard::phi
