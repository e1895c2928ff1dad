// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/sparse/sparse.h"

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

TEST(SparseTensorInferMetaTest, ChecksItsParts) {
  TensorSpec out;
  const TensorSpec indices = Meta({2, 3}, DataType::kInt64);
  ASSERT_THAT(SparseCooTensorInferMeta(Meta({3}), indices, {4, 5}, &out),
              IsOk());
  EXPECT_THAT(out, IsFloats({4, 5}));
  EXPECT_EQ(out.kind, TensorKind::kSparseCoo);
  ASSERT_THAT(SparseCooTensorInferMeta(Meta({3, 7}), indices, {4, 5, 7}, &out),
              IsOk());
  EXPECT_THAT(SparseCooTensorInferMeta(Meta({3}), indices, {4, 5, 7}, &out),
              IsArgumentError("values must be"));
  EXPECT_THAT(SparseCooTensorInferMeta(Meta({3}), indices, {4}, &out),
              IsArgumentError("indices must be of 1 to 1 known rows"));
  const TensorSpec crows = Meta({5}, DataType::kInt64);
  const TensorSpec cols = Meta({3}, DataType::kInt32);
  ASSERT_THAT(SparseCsrTensorInferMeta(Meta({3}), crows, cols, {4, 5}, &out),
              IsOk());
  EXPECT_EQ(out.kind, TensorKind::kSparseCsr);
  EXPECT_THAT(SparseCsrTensorInferMeta(Meta({3}), crows, cols, {5, 5}, &out),
              IsArgumentError("crows must be of shape [6], got [5]"));
}

TEST(SparseConversionInferMetaTest, TellsTheKind) {
  TensorSpec out;
  ASSERT_THAT(ToSparseCooInferMeta(kCsr, 2, &out), IsOk());
  EXPECT_EQ(out.kind, TensorKind::kSparseCoo);
  EXPECT_THAT(ToSparseCooInferMeta(kCoo, 2, &out),
              IsArgumentError("x must be dense or sparse_csr, got sparse_coo"));
  ASSERT_THAT(ToSparseCsrInferMeta(kCoo, &out), IsOk());
  EXPECT_EQ(out.kind, TensorKind::kSparseCsr);
  ASSERT_THAT(SparseToDenseInferMeta(kCoo, &out), IsOk());
  EXPECT_THAT(out, IsFloats({4, 5}));
  EXPECT_THAT(CoalesceInferMeta(kCsr, &out),
              IsArgumentError("x must be sparse_coo, got sparse_csr"));
}

TEST(SparseMatmulInferMetaTest, IsDense) {
  TensorSpec out;
  for (const TensorSpec& x : {kCoo, kCsr}) {
    ASSERT_THAT(SparseMatmulInferMeta(x, Meta({5, 2}), &out), IsOk());
    EXPECT_THAT(out, IsFloats({4, 2}));
    EXPECT_EQ(out.kind, TensorKind::kDense);
  }
  EXPECT_THAT(SparseMatmulInferMeta(kCoo, Meta({4, 2}), &out),
              IsArgumentError("y must be of shape [5, ?], got [4, 2]"));
}

}  // namespace
}  // namespace switchyard::phi
