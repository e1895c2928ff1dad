// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/linalg/linalg.h"

#include <climits>

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

struct MatmulCase {
  Shape x, y;
  bool transpose_x, transpose_y;
  Shape out;
};

TEST(MatmulInferMetaTest, FollowsNumPy) {
  const MatmulCase cases[] = {
      {{2, 3}, {3, 4}, false, false, {2, 4}},
      {{3, 2}, {4, 3}, true, true, {2, 4}},
      {{3}, {3}, true, true, {}},
      {{3}, {5, 3, 4}, false, false, {5, 4}},
      {{5, 2, 3}, {3}, false, false, {5, 2}},
      {{7, 1, 2, 3}, {5, 3, 4}, false, false, {7, 5, 2, 4}},
      {{2, 0}, {0, 4}, false, false, {2, 4}},
      {{kUnknown, 3}, {3, 4}, false, false, {kUnknown, 4}},
      {{2, kUnknown}, {3, 4}, false, false, {2, 4}},
  };
  for (const MatmulCase& c : cases) {
    TensorSpec out;
    ASSERT_THAT(MatmulInferMeta(Meta(c.x), Meta(c.y), c.transpose_x,
                                c.transpose_y, &out),
                IsOk());
    EXPECT_THAT(out, IsFloats(c.out));
  }
}

TEST(MatmulInferMetaTest, RefusesWhatDoesNotFit) {
  TensorSpec out;
  EXPECT_THAT(MatmulInferMeta(Meta({2, 3}), Meta({2, 3}), false, false, &out),
              IsArgumentError("y must be of 3 rows to match the columns of x "
                              "[2, 3], got 2 rows in y [2, 3]"));
  EXPECT_THAT(MatmulInferMeta(Meta({2, 3}), Meta({3, 2}), true, false, &out),
              IsArgumentError("y must be of 2 rows to match the columns of x "
                              "[2, 3] transposed, got 3 rows in y [3, 2]"));
  EXPECT_THAT(MatmulInferMeta(Meta({}), Meta({3}), false, false, &out),
              IsArgumentError("x must be of rank 1 or more"));
  EXPECT_THAT(
      MatmulInferMeta(Meta({2, 2, 3}), Meta({3, 3, 2}), false, false, &out),
      IsArgumentError("y must be"));
  EXPECT_THAT(
      MatmulInferMeta(Meta({kHuge, 1}), Meta({1, kHuge}), false, false, &out),
      IsSizeError());
}

TEST(MulInferMetaTest, FlattensBothSides) {
  TensorSpec out;
  ASSERT_THAT(MulInferMeta(Meta({2, 3, 4}), Meta({4, 3, 5, 6}), 1, 2, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({2, 5, 6}));
  ASSERT_THAT(
      MulInferMeta(Meta({kUnknown, 1, 28, 28}), Meta({784, 10}), 1, 1, &out),
      IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 10}));
  EXPECT_THAT(MulInferMeta(Meta({2, 3}), Meta({4, 5}), 1, 1, &out),
              IsArgumentError("y must be of 3 elements"));
  EXPECT_THAT(MulInferMeta(Meta({2, 3}), Meta({3, 5}), 2, 1, &out),
              IsRangeError("x_num_col_dims must be in [1, 2), got 2"));
}

TEST(BmmInferMetaTest, MultipliesStacks) {
  TensorSpec out;
  ASSERT_THAT(BmmInferMeta(Meta({2, 3, 4}), Meta({kUnknown, 4, 5}), &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({2, 3, 5}));
  EXPECT_THAT(BmmInferMeta(Meta({3, 4}), Meta({2, 4, 5}), &out),
              IsArgumentError("x must be of rank 3, got [3, 4]"));
  EXPECT_THAT(BmmInferMeta(Meta({2, 3, 4}), Meta({1, 4, 5}), &out),
              IsArgumentError("y must be of shape [2, 4, 5]"));
}

TEST(TraceInferMetaTest, DropsTwoAxes) {
  TensorSpec out;
  ASSERT_THAT(TraceInferMeta(Meta({2, 3, 4}), 1, -1, 0, &out), IsOk());
  EXPECT_THAT(out, IsFloats({3}));
  EXPECT_THAT(TraceInferMeta(Meta({2, 3}), 0, 1, -1, &out),
              IsArgumentError("axis2 must be another axis than axis1"));
  EXPECT_THAT(TraceInferMeta(Meta({2}), 0, 0, 1, &out),
              IsArgumentError("x must be of rank 2 or more"));
}

}  // namespace
}  // namespace switchyard::phi
