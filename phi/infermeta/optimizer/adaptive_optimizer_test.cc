// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/optimizer/adaptive_optimizer.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

const TensorSpec kParam = Meta({2, 3});
const TensorSpec kNumber = Meta({1});
const TensorSpec kHalfParam = Meta({2, 3}, DataType::kFloat16);

TEST(RmspropInferMetaTest, WantsMeansWhereCentered) {
  TensorSpec param_out, moment_out, square_out, mean_out, master_out;
  const auto infer = [&](const TensorSpec* mean, bool centered, float decay) {
    return RmspropInferMeta(kParam, kParam, kParam, kParam, kNumber, mean,
                            nullptr, 0.1f, decay, 0, centered, false,
                            &param_out, &moment_out, &square_out, &mean_out,
                            &master_out);
  };
  ASSERT_THAT(infer(&kParam, true, 0.9f), IsOk());
  EXPECT_THAT(param_out, IsFloats({2, 3}));
  EXPECT_THAT(square_out, IsFloats({2, 3}));
  EXPECT_THAT(mean_out, IsFloats({2, 3}));
  EXPECT_THAT(infer(nullptr, false, 0.9f), IsOk());
  EXPECT_THAT(infer(nullptr, true, 0.9f),
              IsArgumentError("mean_grad must be given with centered"));
  EXPECT_THAT(infer(&kNumber, true, 0.9f), IsArgumentError("mean_grad"));
  EXPECT_THAT(infer(nullptr, false, 1.0f),
              IsArgumentError("decay must be in [0, 1), got 1"));
}

TEST(AdagradInferMetaTest, KeepsStateOfHalvesInFloat) {
  TensorSpec param_out, moment_out, master_out;
  const TensorSpec state = Meta({2, kUnknown});
  ASSERT_THAT(
      AdagradInferMeta(kHalfParam, kHalfParam, state, kNumber, &state, 0.1f,
                       true, &param_out, &moment_out, &master_out),
      IsOk());
  EXPECT_THAT(param_out, IsMeta(Shape({2, 3}), DataType::kFloat16));
  EXPECT_THAT(moment_out, IsFloats({2, kUnknown}));
  EXPECT_THAT(
      AdagradInferMeta(kHalfParam, kHalfParam, state, kNumber, nullptr, 0.1f,
                       true, &param_out, &moment_out, &master_out),
      IsArgumentError("master_param"));
  EXPECT_THAT(
      AdagradInferMeta(kHalfParam, kHalfParam, kHalfParam, kNumber, nullptr,
                       0.1f, false, &param_out, &moment_out, &master_out),
      StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(AdadeltaInferMetaTest, NeedsNoRate) {
  TensorSpec param_out, grad_out, update_out, master_out;
  const auto infer = [&](const TensorSpec* rate, float rho) {
    return AdadeltaInferMeta(kParam, kParam, kParam, kParam, rate, nullptr, rho,
                             0.1f, false, &param_out, &grad_out, &update_out,
                             &master_out);
  };
  EXPECT_THAT(infer(nullptr, 0.5f), IsOk());
  EXPECT_THAT(update_out, IsFloats({2, 3}));
  EXPECT_THAT(infer(&kParam, 0.5f), IsArgumentError("learning_rate"));
  EXPECT_THAT(infer(&kNumber, -1.0f), IsArgumentError("rho"));
}

TEST(AdamaxInferMetaTest, WantsOnePower) {
  TensorSpec param_out, moment_out, norm_out, master_out;
  const auto infer = [&](const TensorSpec& norm, const TensorSpec& power) {
    return AdamaxInferMeta(kParam, kParam, kNumber, kParam, norm, power,
                           nullptr, 0.9f, 0.9f, 0.1f, false, &param_out,
                           &moment_out, &norm_out, &master_out);
  };
  EXPECT_THAT(infer(kParam, kNumber), IsOk());
  EXPECT_THAT(norm_out, IsFloats({2, 3}));
  EXPECT_THAT(infer(kParam, kParam), IsArgumentError("beta1_pow"));
  EXPECT_THAT(infer(kNumber, kNumber), IsArgumentError("inf_norm"));
}

TEST(LambInferMetaTest, ChecksWhetherItIsSkipped) {
  TensorSpec outs[6];
  const auto infer = [&](const TensorSpec* skip) {
    return LambInferMeta(kParam, kParam, kNumber, kParam, kParam, kNumber,
                         kNumber, nullptr, skip, 0.1f, 0.9f, 0.9f, 0.1f, false,
                         false, &outs[0], &outs[1], &outs[2], &outs[3],
                         &outs[4], &outs[5]);
  };
  const TensorSpec flag = Meta({1}, DataType::kBool);
  EXPECT_THAT(infer(&flag), IsOk());
  EXPECT_THAT(outs[3], IsFloats({1}));
  EXPECT_THAT(infer(&kNumber), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(NadamInferMetaTest, WantsPowersOfTheShapeOfTheParameter) {
  TensorSpec outs[7];
  const auto infer = [&](const TensorSpec& power, const TensorSpec& product) {
    return NadamInferMeta(kParam, kParam, kNumber, power, kParam, product,
                          kParam, kParam, nullptr, 0.9f, 0.9f, 0.1f, 0.1f,
                          false, &outs[0], &outs[1], &outs[2], &outs[3],
                          &outs[4], &outs[5], &outs[6]);
  };
  EXPECT_THAT(infer(kParam, kParam), IsOk());
  EXPECT_THAT(outs[3], IsFloats({2, 3}));
  EXPECT_THAT(infer(kNumber, kParam), IsArgumentError("momentum_decay_pow"));
  EXPECT_THAT(infer(kParam, kNumber), IsArgumentError("mu_product"));
}

TEST(RadamInferMetaTest, WantsPowersOfTheShapeOfTheParameter) {
  TensorSpec outs[7];
  const auto infer = [&](const TensorSpec& power, const TensorSpec& rho) {
    return RadamInferMeta(kParam, kParam, kNumber, power, kParam, rho, kParam,
                          kParam, nullptr, 0.9f, 0.9f, 0.1f, false, &outs[0],
                          &outs[1], &outs[2], &outs[3], &outs[4], &outs[5],
                          &outs[6]);
  };
  EXPECT_THAT(infer(kParam, kParam), IsOk());
  EXPECT_THAT(outs[3], IsFloats({2, 3}));
  EXPECT_THAT(infer(kNumber, kParam), IsArgumentError("beta1_pow"));
  EXPECT_THAT(infer(kParam, kNumber), IsArgumentError("rho"));
}

}  // namespace
}  // namespace switchyard::phi
