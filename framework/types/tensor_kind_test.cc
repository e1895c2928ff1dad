// SPDX-License-Identifier: Apache-2.0
#include "framework/types/tensor_kind.h"

#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(TensorKindTest, NamesAreTheYamlsAndReadBack) {
  EXPECT_EQ(Name(TensorKind::kDense), "dense");
  EXPECT_EQ(Name(TensorKind::kSelectedRows), "selected_rows");
  EXPECT_EQ(Name(TensorKind::kSparseCoo), "sparse_coo");
  EXPECT_EQ(Name(TensorKind::kSparseCsr), "sparse_csr");
  EXPECT_EQ(Name(TensorKind::kTensorArray), "tensor_array");
  for (TensorKind kind :
       {TensorKind::kDense, TensorKind::kSelectedRows, TensorKind::kSparseCoo,
        TensorKind::kSparseCsr, TensorKind::kTensorArray}) {
    EXPECT_EQ(ParseTensorKind(Name(kind)), kind);
  }
  EXPECT_EQ(ParseTensorKind("tensor"), std::nullopt);
}

}  // namespace
}  // namespace switchyard
