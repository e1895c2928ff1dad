// SPDX-License-Identifier: Apache-2.0
// The kinds of tensor that are only made of DenseTensors.
#include "framework/tensor/meta_tensor.h"
#include "framework/tensor/selected_rows.h"
#include "framework/tensor/sparse.h"
#include "framework/testing/tensors.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(MetaTensorTest, StartsUndefined) {
  const MetaTensor meta;
  EXPECT_EQ(meta.dtype, DataType::kUndefined);
  EXPECT_EQ(meta.kind, TensorKind::kDense);
  EXPECT_EQ(meta.shape.rank(), 0);
}

TEST(SelectedRowsTest, HoldsRowsAndValues) {
  SelectedRows gradient;
  gradient.mutable_rows() = {4, 1, 4};
  gradient.mutable_values() = MakeTensor<float>({3, 1}, {1, 2, 3});
  gradient.set_height(10);
  const SelectedRows copy = gradient;
  EXPECT_EQ(copy.kind(), TensorKind::kSelectedRows);
  EXPECT_EQ(copy.rows(), (std::vector<int64_t>{4, 1, 4}));
  EXPECT_EQ(copy.values().buffer(), gradient.values().buffer());
  EXPECT_EQ(copy.height(), 10);
}

TEST(SparseTest, CooHoldsIndicesAndValues) {
  const SparseCooTensor tensor({3, 3}, MakeTensor<int64_t>({2, 1}, {0, 2}),
                               MakeTensor<float>({1}, {5}));
  EXPECT_EQ(tensor.kind(), TensorKind::kSparseCoo);
  EXPECT_EQ(tensor.dtype(), DataType::kFloat32);
  EXPECT_EQ(tensor.shape(), Shape({3, 3}));
  EXPECT_EQ(ToVector<int64_t>(tensor.indices()), (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(ToVector<float>(tensor.values()), (std::vector<float>{5}));
}

TEST(SparseTest, CsrHoldsRowsColumnsAndValues) {
  const SparseCsrTensor tensor({2, 3}, MakeTensor<int64_t>({3}, {0, 1, 1}),
                               MakeTensor<int64_t>({1}, {2}),
                               MakeTensor<double>({1}, {5}));
  EXPECT_EQ(tensor.kind(), TensorKind::kSparseCsr);
  EXPECT_EQ(tensor.dtype(), DataType::kFloat64);
  EXPECT_EQ(ToVector<int64_t>(tensor.crows()), (std::vector<int64_t>{0, 1, 1}));
  EXPECT_EQ(ToVector<int64_t>(tensor.cols()), (std::vector<int64_t>{2}));
}

}  // namespace
}  // namespace switchyard
