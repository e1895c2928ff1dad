// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/softmax/softmax.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TEST(SoftmaxInferMetaTest, ChecksTheAxis) {
  TensorSpec out;
  ASSERT_THAT(SoftmaxInferMeta(Meta({2, 3}), -2, &out), IsOk());
  EXPECT_THAT(out, IsFloats({2, 3}));
  ASSERT_THAT(SoftmaxInferMeta(Meta({}), 0, &out), IsOk());
  EXPECT_THAT(SoftmaxInferMeta(Meta({2, 3}), 5, &out),
              IsRangeError("axis must be in [-2, 2), got 5"));
  EXPECT_THAT(SoftmaxInferMeta(Meta({2, 3}), -3, &out), IsRangeError("axis"));
}

TEST(SoftmaxGradInferMetaTest, ChecksTheGradient) {
  TensorSpec x_grad;
  ASSERT_THAT(SoftmaxGradInferMeta(Meta({2, 3}), Meta({2, 3}), 1, &x_grad),
              IsOk());
  EXPECT_THAT(x_grad, IsFloats({2, 3}));
  EXPECT_THAT(SoftmaxGradInferMeta(Meta({2, 3}), Meta({3, 2}), 1, &x_grad),
              IsArgumentError("out_grad"));
  EXPECT_THAT(SoftmaxGradInferMeta(Meta({2, 3}), Meta({2, 3}), 2, &x_grad),
              IsRangeError("axis"));
}

}  // namespace
}  // namespace switchyard::phi
