// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/gradient.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TensorSpec OfKind(TensorKind kind, const TensorSpec& like) {
  TensorSpec spec = like;
  spec.kind = kind;
  return spec;
}

TEST(CheckInferredTest, WantsDtypeAndShape) {
  const TensorSpec inferred = Meta({2, kUnknown});
  EXPECT_THAT(CheckInferred("out_grad", Meta({2, 5}), inferred), IsOk());
  EXPECT_THAT(CheckInferred("out_grad", Meta({3, 5}), inferred),
              IsArgumentError("out_grad must be of shape [2, ?], got [3, 5]"));
  EXPECT_THAT(
      CheckInferred("s_grad", Meta({2, 5}, DataType::kFloat64), inferred),
      IsArgumentError("s_grad must be float32, got float64"));
}

TEST(CheckInferredTest, OneThatIsNotThereIsRight) {
  const TensorSpec inferred = Meta({2}), other = Meta({3});
  const TensorSpec* none = nullptr;
  EXPECT_THAT(CheckInferred("out_grad", none, inferred), IsOk());
  EXPECT_THAT(CheckInferred("out_grad", &inferred, inferred), IsOk());
  EXPECT_THAT(CheckInferred("out_grad", &other, inferred),
              IsArgumentError("out_grad must be of shape [2], got [3]"));
}

TEST(CheckInferredTest, WantsTheKindOfSparseTensors) {
  const TensorSpec dense = Meta({4, 5});
  const TensorSpec coo = OfKind(TensorKind::kSparseCoo, dense);
  const TensorSpec csr = OfKind(TensorKind::kSparseCsr, dense);
  const TensorSpec rows = OfKind(TensorKind::kSelectedRows, dense);
  EXPECT_THAT(CheckInferred("out_grad", coo, coo), IsOk());
  EXPECT_THAT(CheckInferred("out_grad", coo, csr),
              IsArgumentError("out_grad must be sparse_csr, got sparse_coo"));
  EXPECT_THAT(CheckInferred("out_grad", coo, dense),
              IsArgumentError("out_grad must be dense, got sparse_coo"));
  EXPECT_THAT(CheckInferred("out_grad", dense, csr),
              IsArgumentError("out_grad must be sparse_csr, got dense"));
  EXPECT_THAT(CheckInferred("out_grad", rows, dense), IsOk());
}

TEST(SetGradientTest, IsLikeTheInput) {
  TensorSpec x = Meta({2, 3}, DataType::kFloat64), x_grad;
  x.lod_levels = 1;
  ASSERT_THAT(SetGradient(x, &x_grad), IsOk());
  EXPECT_THAT(x_grad, IsMeta(Shape({2, 3}), DataType::kFloat64));
  EXPECT_EQ(x_grad.lod_levels, 0);
  TensorSpec same = Meta({7});
  ASSERT_THAT(SetGradient(static_cast<const TensorSpec*>(nullptr), &same),
              IsOk());
  EXPECT_THAT(same, IsFloats({7}));
  ASSERT_THAT(SetGradient(&x, &same), IsOk());
  EXPECT_THAT(same, IsMeta(Shape({2, 3}), DataType::kFloat64));
  ASSERT_THAT(SetGradient(x, nullptr), IsOk());
}

}  // namespace
}  // namespace switchyard::phi
