// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/sparse/sparse_math.h"

#include "phi/infermeta/testing.h"

namespace switchyard::phi {
namespace {

TensorSpec Sparse(TensorKind kind, Shape shape) {
  TensorSpec meta = Meta(std::move(shape));
  meta.kind = kind;
  return meta;
}

const TensorSpec kCoo = Sparse(TensorKind::kSparseCoo, {4, 5});
const TensorSpec kCsr = Sparse(TensorKind::kSparseCsr, {4, 5});

TEST(SparseMultiplyInferMetaTest, IsLikeX) {
  TensorSpec out;
  for (const TensorSpec& x : {kCoo, kCsr}) {
    for (const TensorSpec& y : {x, Meta({4, 5}), Meta({}), Meta({1, 1, 1})}) {
      ASSERT_THAT(SparseMultiplyInferMeta(x, y, &out), IsOk());
      EXPECT_THAT(out, IsFloats({4, 5}));
      EXPECT_EQ(out.kind, x.kind);
    }
    EXPECT_THAT(SparseMultiplyInferMeta(x, Meta({5}), &out),
                IsArgumentError("y must be of shape [4, 5], got [5]"));
    EXPECT_THAT(
        SparseMultiplyInferMeta(x, Meta({4, 5}, DataType::kFloat64), &out),
        IsArgumentError("y must be float32, got float64"));
  }
  EXPECT_THAT(SparseMultiplyInferMeta(kCoo, kCsr, &out),
              IsArgumentError("y must be sparse_coo or dense, got sparse_csr"));
  EXPECT_THAT(SparseMultiplyInferMeta(Meta({4, 5}), kCsr, &out),
              IsArgumentError("x must be sparse_coo or sparse_csr, got dense"));
}

TEST(SparseReluInferMetaTest, IsLikeX) {
  TensorSpec out;
  ASSERT_THAT(SparseReluInferMeta(kCsr, &out), IsOk());
  EXPECT_EQ(out.kind, TensorKind::kSparseCsr);
  EXPECT_THAT(SparseReluGradInferMeta(kCsr, kCoo, &out),
              IsArgumentError("out_grad must be sparse_csr, got sparse_coo"));
}

TEST(SparseSumInferMetaTest, DropsAnAxis) {
  const TensorSpec x = Sparse(TensorKind::kSparseCoo, {4, Dim::Unknown(), 6});
  TensorSpec out;
  ASSERT_THAT(SparseSumInferMeta(x, {}, false, &out), IsOk());
  EXPECT_THAT(out, IsFloats({1}));
  ASSERT_THAT(SparseSumInferMeta(x, {}, true, &out), IsOk());
  EXPECT_THAT(out, IsFloats({1, 1, 1}));
  ASSERT_THAT(SparseSumInferMeta(x, {-3}, false, &out), IsOk());
  EXPECT_THAT(out, IsFloats({Dim::Unknown(), 6}));
  ASSERT_THAT(SparseSumInferMeta(x, {2}, true, &out), IsOk());
  EXPECT_THAT(out, IsFloats({4, Dim::Unknown(), 1}));
  EXPECT_EQ(out.kind, TensorKind::kSparseCoo);
  ASSERT_THAT(SparseSumInferMeta(kCsr, {-1}, false, &out), IsOk());
  EXPECT_THAT(out, IsFloats({4, 1}));
  EXPECT_EQ(out.kind, TensorKind::kSparseCsr);
}

TEST(SparseSumInferMetaTest, ChecksTheAxis) {
  TensorSpec out;
  EXPECT_EQ(SparseSumInferMeta(kCoo, {2}, false, &out).code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_EQ(SparseSumInferMeta(kCsr, {0}, false, &out).message(),
            "axis must be 1 or -1 of a CSR matrix, got 0");
  EXPECT_THAT(SparseSumInferMeta(kCoo, {0, 1}, false, &out),
              IsArgumentError("axis must be one axis at most, got 2 axes"));
}

TEST(SparseTransposeInferMetaTest, PermutesTheShape) {
  TensorSpec out;
  for (const TensorSpec& x : {kCoo, kCsr}) {
    ASSERT_THAT(SparseTransposeInferMeta(x, {1, -2}, &out), IsOk());
    EXPECT_THAT(out, IsFloats({5, 4}));
    EXPECT_EQ(out.kind, x.kind);
    EXPECT_THAT(SparseTransposeInferMeta(x, {1}, &out),
                IsArgumentError("perm must be of 2 axes, got 1"));
  }
}

}  // namespace
}  // namespace switchyard::phi
