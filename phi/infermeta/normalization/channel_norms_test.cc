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

}  // namespace
}  // namespace switchyard::phi
