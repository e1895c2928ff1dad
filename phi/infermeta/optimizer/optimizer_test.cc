// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/optimizer/optimizer.h"

#include <optional>

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TEST(SgdInferMetaTest, ChecksWhatTheStepReads) {
  TensorSpec out;
  ASSERT_THAT(SgdInferMeta(Meta({2, 3}), Meta({1}), Meta({2, 3}), &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({2, 3}));
  EXPECT_THAT(SgdInferMeta(Meta({2, 3}), Meta({}), Meta({3}), &out),
              IsArgumentError("grad must be of shape [2, 3], got [3]"));
  EXPECT_THAT(SgdInferMeta(Meta({2}), Meta({2}), Meta({2}), &out),
              IsArgumentError("learning_rate must be of one element, got [2]"));
  EXPECT_THAT(
      SgdInferMeta(Meta({2}), Meta({}, DataType::kFloat64), Meta({2}), &out),
      IsArgumentError("learning_rate must be float32, got float64"));
}

TEST(MomentumInferMetaTest, ChecksWhatTheStepReads) {
  TensorSpec param, velocity;
  const TensorSpec x = Meta({4}), lr = Meta({1});
  ASSERT_THAT(MomentumInferMeta(x, x, x, lr, 0.9f, false, "l2_decay", 0.1f,
                                1.0f, &param, &velocity),
              IsOk());
  EXPECT_THAT(velocity, IsFloats({4}));
  EXPECT_THAT(MomentumInferMeta(x, x, x, lr, 0.9f, false, "l1", 0.1f, 1.0f,
                                &param, &velocity),
              IsArgumentError("regularization_method must be"));
  EXPECT_THAT(MomentumInferMeta(x, x, Meta({5}), lr, 0.9f, false, "", 0.1f,
                                1.0f, &param, &velocity),
              IsArgumentError("velocity must be"));
}

TEST(AdamInferMetaTest, ChecksWhatTheStepReads) {
  TensorSpec out[7];
  const TensorSpec x = Meta({4}), one = Meta({1});
  const auto infer = [&](const TensorSpec& moment, const TensorSpec& pow,
                         DoubleValue beta, bool amsgrad = false,
                         const TensorSpec* skip = nullptr) {
    return AdamwInferMeta(x, x, one, x, moment, one, pow, nullptr, nullptr,
                          skip, beta, 0.999f, 1e-8f, 1.0f, 0.01f, true, false,
                          amsgrad, false, &out[0], &out[1], &out[2], &out[3],
                          &out[4], &out[5], &out[6]);
  };
  ASSERT_THAT(infer(x, one, 0.9f), IsOk());
  EXPECT_THAT(out[2], IsFloats({4}));
  EXPECT_THAT(out[4], IsFloats({1}));
  EXPECT_THAT(infer(one, one, 0.9f), IsArgumentError("moment2 must be"));
  EXPECT_THAT(infer(x, x, 0.9f), IsArgumentError("beta2_pow must be"));
  EXPECT_THAT(infer(x, one, 1.0f), IsArgumentError("beta1 must be in [0, 1)"));
  EXPECT_THAT(infer(x, one, std::nullopt), IsOk());  // A program supplies it.
  EXPECT_THAT(infer(x, one, 0.9f, true),
              IsArgumentError("moment2_max must be given with amsgrad"));
  const TensorSpec flag = Meta({1}, DataType::kBool);
  const TensorSpec flags = Meta({2}, DataType::kBool);
  EXPECT_THAT(infer(x, one, 0.9f, false, &flag), IsOk());
  EXPECT_THAT(infer(x, one, 0.9f, false, &flags),
              IsArgumentError("skip_update must be"));
  EXPECT_THAT(infer(x, one, 0.9f, false, &one),
              IsArgumentError("skip_update must be bool"));
}

TEST(AdamInferMetaTest, KeepsTheStateOfHalvesInFloat32) {
  TensorSpec out[7];
  const TensorSpec x = Meta({4}, DataType::kFloat16), one = Meta({1});
  const auto infer = [&](const TensorSpec& moment, const TensorSpec* master) {
    return AdamInferMeta(x, x, one, moment, moment, one, one, &moment, master,
                         nullptr, 0.9f, 0.999f, 1e-8f, false, true, true, false,
                         &out[0], &out[1], &out[2], &out[3], &out[4], &out[5],
                         &out[6]);
  };
  const TensorSpec wide = Meta({4});
  ASSERT_THAT(infer(wide, &wide), IsOk());
  EXPECT_THAT(out[0], IsMeta(Shape({4}), DataType::kFloat16));
  EXPECT_THAT(out[5], IsFloats({4}));
  EXPECT_THAT(out[6], IsFloats({4}));
  EXPECT_THAT(infer(x, &wide), IsArgumentError("moment1 must be float32"));
  EXPECT_THAT(infer(wide, &x), IsArgumentError("master_param must be float32"));
  EXPECT_THAT(
      infer(wide, nullptr),
      IsArgumentError("master_param must be given with multi_precision"));
}

}  // namespace
}  // namespace switchyard::phi
