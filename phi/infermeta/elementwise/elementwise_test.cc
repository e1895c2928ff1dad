// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/elementwise/elementwise.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TEST(BroadcastInferMetaTest, FollowsNumPy) {
  TensorSpec out;
  ASSERT_THAT(BroadcastInferMeta(Meta({4, 1, 3}), Meta({2, 1}), &out), IsOk());
  EXPECT_THAT(out, IsFloats({4, 2, 3}));
  ASSERT_THAT(BroadcastInferMeta(Meta({}), Meta({0, 2}), &out), IsOk());
  EXPECT_THAT(out, IsFloats({0, 2}));
  ASSERT_THAT(BroadcastInferMeta(Meta({kUnknown, 3}), Meta({1, 3}), &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({kUnknown, 3}));
}

TEST(BroadcastInferMetaTest, RefusesWhatDoesNotFit) {
  TensorSpec out;
  EXPECT_THAT(BroadcastInferMeta(Meta({2, 3}), Meta({2, 4}), &out),
              IsArgumentError("y must be"));
  const absl::Status status =
      BroadcastInferMeta(Meta({2}), Meta({2}, DataType::kInt32), &out);
  EXPECT_THAT(status, IsArgumentError("y must be float32, got int32"));
  EXPECT_TRUE(IsTypeError(status));
  EXPECT_THAT(BroadcastInferMeta(Meta({kHuge, 1}), Meta({kHuge}), &out),
              IsSizeError());
  EXPECT_EQ(out.dtype, DataType::kUndefined);
}

TEST(CompareInferMetaTest, YieldsBool) {
  TensorSpec out;
  ASSERT_THAT(CompareInferMeta(Meta({2, 1}), Meta({3}), &out), IsOk());
  EXPECT_THAT(out, IsMeta(Shape({2, 3}), DataType::kBool));
  ASSERT_THAT(LogicalNotInferMeta(Meta({2}), &out), IsOk());
  EXPECT_THAT(out, IsMeta(Shape({2}), DataType::kBool));
}

TEST(SameShapeInferMetaTest, ChecksTheGradient) {
  TensorSpec out;
  ASSERT_THAT(SameShapeInferMeta(Meta({2, kUnknown}), Meta({2, 3}), &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({2, kUnknown}));
  EXPECT_THAT(SameShapeInferMeta(Meta({2, 3}), Meta({3}), &out),
              IsArgumentError("out_grad must be of shape [2, 3], got [3]"));
  TensorSpec integers = Meta({2, 3});
  integers.dtype = DataType::kInt32;
  const absl::Status status = SameShapeInferMeta(integers, integers, &out);
  EXPECT_TRUE(IsTypeError(status));
  EXPECT_EQ(status.message(),
            "out_grad must be floating or complex, got int32");
}

TEST(AddInferMetaTest, TellsTheKindOfTheSum) {
  TensorSpec rows = Meta({4, 3});
  rows.kind = TensorKind::kSelectedRows;
  const TensorSpec dense = Meta({4, 3});
  const struct {
    const TensorSpec& x;
    const TensorSpec& y;
    TensorKind kind;
  } cases[] = {{dense, dense, TensorKind::kDense},
               {rows, dense, TensorKind::kDense},
               {dense, rows, TensorKind::kDense},
               {rows, rows, TensorKind::kSelectedRows}};
  for (const auto& [x, y, kind] : cases) {
    TensorSpec out;
    ASSERT_THAT(AddInferMeta(x, y, &out), IsOk());
    EXPECT_THAT(out, IsFloats({4, 3}));
    EXPECT_EQ(out.kind, kind);
  }
}

TEST(AddInferMetaTest, BroadcastsDenseTensorsOnly) {
  TensorSpec rows = Meta({4, 3});
  rows.kind = TensorKind::kSelectedRows;
  TensorSpec out;
  ASSERT_THAT(AddInferMeta(Meta({4, 3}), Meta({3}), &out), IsOk());
  EXPECT_THAT(out, IsFloats({4, 3}));
  EXPECT_THAT(AddInferMeta(rows, Meta({3}), &out),
              IsArgumentError("y must be of shape [4, 3], got [3]"));
  EXPECT_THAT(AddInferMeta(rows, Meta({4, 3}, DataType::kInt32), &out),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(BinaryGradInferMetaTest, LeavesOutWhatIsNotWanted) {
  TensorSpec y_grad;
  ASSERT_THAT(BinaryGradInferMeta(Meta({2, 1}), Meta({3}), Meta({2, 3}),
                                  nullptr, &y_grad),
              IsOk());
  EXPECT_THAT(y_grad, IsFloats({3}));
}

TEST(BinaryGradInferMetaTest, ChecksTheGradient) {
  const TensorSpec x = Meta({2, 1}), y = Meta({3});
  const TensorSpec doubles = Meta({2, 3}, DataType::kFloat64);
  TensorSpec grad;
  EXPECT_THAT(BinaryGradInferMeta(x, y, Meta({}), &grad, &grad),
              IsArgumentError("out_grad must be of shape [2, 3], got []"));
  EXPECT_THAT(BinaryGradInferMeta(x, y, doubles, &grad, &grad),
              IsArgumentError("out_grad must be float32, got float64"));
  EXPECT_THAT(
      BinaryGradOfOutInferMeta(x, y, doubles, Meta({2, 3}), &grad, &grad),
      IsArgumentError("out must be float32, got float64"));
  EXPECT_THAT(
      BinaryGradOfOutInferMeta(x, y, Meta({2}), Meta({2, 3}), &grad, &grad),
      IsArgumentError("out must be of shape [2, 3], got [2]"));
  ASSERT_THAT(BinaryGradOfOutInferMeta(x, y, Meta({2, kUnknown}),
                                       Meta({kUnknown, 3}), &grad, nullptr),
              IsOk());
  EXPECT_THAT(grad, IsFloats({2, 1}));
}

}  // namespace
}  // namespace switchyard::phi
