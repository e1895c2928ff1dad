// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/linear_solve/linear_solve.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TEST(SquareMatrixGradInferMetaTest, ChecksBeforeACompositeRuns) {
  TensorSpec x_grad;
  ASSERT_THAT(
      SquareMatrixGradInferMeta(Meta({4, 3, 3}), Meta({4, 3, 3}), &x_grad),
      IsOk());
  EXPECT_THAT(x_grad, IsFloats({4, 3, 3}));
  ASSERT_THAT(SquareMatrixGradInferMeta(Meta({kUnknown, 3}),
                                        Meta({kUnknown, 3}), &x_grad),
              IsOk());
  const char* const rank = "out_grad must be of rank 2 or more, got ";
  EXPECT_THAT(SquareMatrixGradInferMeta(Meta({}), Meta({}), &x_grad),
              IsArgumentError(rank));
  EXPECT_THAT(SquareMatrixGradInferMeta(Meta({2}), Meta({2}), &x_grad),
              IsArgumentError(rank));
  EXPECT_THAT(SquareMatrixGradInferMeta(Meta({3, 2}), Meta({3, 2}), &x_grad),
              IsArgumentError("out_grad must be a stack of square matrices, "
                              "got [3, 2]"));
  EXPECT_THAT(SquareMatrixGradInferMeta(Meta({2, 2}), Meta({3, 3}), &x_grad),
              IsArgumentError("out_grad must be of shape [2, 2], got [3, 3]"));
}

}  // namespace
}  // namespace switchyard::phi
