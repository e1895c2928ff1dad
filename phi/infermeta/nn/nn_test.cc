// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/nn/nn.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

absl::Status CrossEntropy(const TensorSpec& input, const TensorSpec& label,
                          bool soft_label, int axis, TensorSpec* loss) {
  TensorSpec softmax;
  return CrossEntropyWithSoftmaxInferMeta(input, label, soft_label, true, true,
                                          -100, axis, &softmax, loss);
}

TEST(CrossEntropyInferMetaTest, TakesHardAndSoftLabels) {
  TensorSpec loss;
  const DataType kIndex = DataType::kInt64;
  for (const Shape& label : {Shape({8, 1}), Shape({8})}) {
    ASSERT_THAT(
        CrossEntropy(Meta({8, 10}), Meta(label, kIndex), false, -1, &loss),
        IsOk());
    EXPECT_THAT(loss, IsFloats({8, 1}));
  }
  ASSERT_THAT(CrossEntropy(Meta({8, 10}), Meta({8, 10}), true, 0, &loss),
              IsOk());
  EXPECT_THAT(loss, IsFloats({1, 10}));
}

TEST(CrossEntropyInferMetaTest, RefusesWhatDoesNotFit) {
  TensorSpec loss;
  const DataType kIndex = DataType::kInt64;
  EXPECT_THAT(CrossEntropy(Meta({8, 10}), Meta({8}), false, -1, &loss),
              IsArgumentError("label must be an integer type, got float32"));
  EXPECT_THAT(CrossEntropy(Meta({8, 10}), Meta({7}, kIndex), false, -1, &loss),
              IsArgumentError("label must be of shape [8, 1], got [7]"));
  EXPECT_THAT(CrossEntropy(Meta({8, 10}), Meta({8}, kIndex), false, 2, &loss),
              IsRangeError("axis must be in [-2, 2), got 2"));
  EXPECT_THAT(CrossEntropy(Meta({8, 0}), Meta({8}, kIndex), false, 1, &loss),
              IsArgumentError("at least one class"));
  EXPECT_THAT(CrossEntropy(Meta({}), Meta({}, kIndex), false, 0, &loss),
              IsArgumentError("input must be of rank 1 or more"));
}

TEST(AccuracyInferMetaTest, ChecksRows) {
  TensorSpec accuracy, correct, total;
  const DataType kIndex = DataType::kInt64;
  const auto infer = [&](const TensorSpec& indices, const TensorSpec& label) {
    return AccuracyInferMeta(Meta({4, 2}), indices, label, &accuracy, &correct,
                             &total);
  };
  ASSERT_THAT(infer(Meta({4, 2}, kIndex), Meta({4, 1}, kIndex)), IsOk());
  EXPECT_THAT(accuracy, IsFloats(Shape()));
  EXPECT_THAT(total, IsMeta(Shape(), DataType::kInt32));
  EXPECT_THAT(infer(Meta({4, 3}, kIndex), Meta({4}, kIndex)),
              IsArgumentError("indices must be of shape [4, 2]"));
  EXPECT_THAT(infer(Meta({4, 2}, kIndex), Meta({3, 1}, kIndex)),
              IsArgumentError("label must be of shape [4, 1]"));
  EXPECT_THAT(infer(Meta({4, 2}), Meta({4, 1}, kIndex)),
              IsArgumentError("indices must be int32 or int64"));
}

TEST(DropoutInferMetaTest, ChecksAttributes) {
  TensorSpec out, mask;
  const auto infer = [&](DoubleValue p, const char* mode) {
    return DropoutInferMeta(Meta({3}), nullptr, p, false, mode, 0, &out, &mask);
  };
  ASSERT_THAT(infer(0.5f, "upscale_in_train"), IsOk());
  EXPECT_THAT(mask, IsMeta(Shape({3}), DataType::kUInt8));
  EXPECT_THAT(infer(1.5f, "upscale_in_train"),
              IsArgumentError("p must be in [0, 1], got 1.5"));
  EXPECT_THAT(infer(0.5f, "other"), IsArgumentError("mode must be"));
  // A program supplies it.
  EXPECT_THAT(infer(std::nullopt, "upscale_in_train"), IsOk());
  EXPECT_THAT(infer(std::nullopt, "other"), IsArgumentError("mode must be"));
}

TEST(EmbeddingInferMetaTest, AppendsTheWidth) {
  TensorSpec out;
  const TensorSpec x = Meta({2, 3}, DataType::kInt32);
  ASSERT_THAT(EmbeddingInferMeta(x, Meta({10, 4}), -1, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 4}));
  EXPECT_THAT(EmbeddingInferMeta(x, Meta({10, 4}), 10, &out),
              IsRangeError("padding_idx must be -1 or in [0, 10), got 10"));
  EXPECT_THAT(EmbeddingInferMeta(Meta({2}), Meta({10, 4}), -1, &out),
              IsArgumentError("x must be int32 or int64, got float32"));
  EXPECT_THAT(EmbeddingInferMeta(x, Meta({10}), -1, &out),
              IsArgumentError("weight must be of rank 2"));
  EXPECT_THAT(EmbeddingInferMeta(Meta({kHuge}, DataType::kInt64),
                                 Meta({1, kHuge}), -1, &out),
              IsSizeError());
}

TEST(GradInferMetaTest, ChecksTheGradients) {
  TensorSpec grad;
  const TensorSpec label = Meta({8}, DataType::kInt32);
  const auto cross_entropy = [&](const TensorSpec& loss_grad) {
    return CrossEntropyWithSoftmaxGradInferMeta(label, Meta({8, 10}), loss_grad,
                                                nullptr, false, true, true,
                                                -100, -1, &grad);
  };
  ASSERT_THAT(cross_entropy(Meta({8, 1})), IsOk());
  EXPECT_THAT(grad, IsFloats({8, 10}));
  EXPECT_THAT(cross_entropy(Meta({8})), IsArgumentError("loss_grad"));
  EXPECT_THAT(EmbeddingGradInferMeta(label, Meta({5, 3}), Meta({8, 4}), -1,
                                     false, &grad),
              IsArgumentError("out_grad must be of shape [8, 3], got [8, 4]"));
  ASSERT_THAT(EmbeddingGradInferMeta(label, Meta({5, 3}), Meta({8, 3}), -1,
                                     true, &grad),
              IsOk());
  EXPECT_EQ(grad.kind, TensorKind::kSelectedRows);
  EXPECT_THAT(DropoutGradInferMeta(Meta({3}, DataType::kUInt8), Meta({4}), 0.5f,
                                   false, "upscale_in_train", &grad),
              IsArgumentError("mask must be of shape [4], got [3]"));
}

}  // namespace
}  // namespace switchyard::phi
