// SPDX-License-Identifier: Apache-2.0
#include "eager/tensor/tensor.h"

#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gtest/gtest.h"

namespace switchyard::eager {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor Make() { return Tensor(MakeTensor<float>({2}, {1, 2})); }

TEST(TensorTest, UndefinedAndIdentity) {
  const Tensor none;
  EXPECT_FALSE(none.defined());
  EXPECT_EQ(ToString(none), "undefined");
  const Tensor x = Make(), copy = x;
  EXPECT_EQ(x, copy);
  EXPECT_NE(x, Make());
  EXPECT_EQ(ToString(x), "float32[2] on cpu");
}

TEST(TensorTest, OnlyFloatingLeavesCanRequireGrad) {
  Tensor x = Make();
  EXPECT_FALSE(x.requires_grad());
  EXPECT_TRUE(x.is_leaf());
  ASSERT_THAT(x.set_requires_grad(true), IsOk());
  ASSERT_THAT(x.set_requires_grad(true), IsOk());
  EXPECT_TRUE(x.requires_grad());
  EXPECT_TRUE(x.is_leaf());
  ASSERT_THAT(x.set_requires_grad(false), IsOk());
  EXPECT_FALSE(x.requires_grad());

  Tensor labels(MakeTensor<int64_t>({2}, {1, 2}));
  const absl::Status status = labels.set_requires_grad(true);
  EXPECT_TRUE(IsTypeError(status));
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument,
                               HasSubstr("got int64")));
}

TEST(TensorTest, GradientIsSharedByHandlesAndChecked) {
  Tensor x = Make();
  const Tensor handle = x, grad = Make();
  ASSERT_THAT(x.set_grad(grad), IsOk());
  EXPECT_EQ(handle.grad(), grad);
  ASSERT_THAT(x.set_grad(Tensor()), IsOk());
  EXPECT_FALSE(handle.grad().defined());
  EXPECT_THAT(x.set_grad(Tensor(MakeTensor<float>({1}, {1}))),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("grad must be of shape [2], got [1]")));
  EXPECT_TRUE(IsTypeError(x.set_grad(Tensor(MakeTensor<double>({2}, {1, 2})))));
}

TEST(TensorTest, DetachSharesBufferAndVersion) {
  Tensor x = Make();
  ASSERT_THAT(x.set_requires_grad(true), IsOk());
  const Tensor y = x.detach();
  EXPECT_FALSE(y.requires_grad());
  EXPECT_EQ(y.dense().buffer(), x.dense().buffer());
  y.dense().buffer()->BumpVersion();
  EXPECT_EQ(x.version(), 1u);
}

TEST(TensorTest, SelectedRowsHaveTheShapeOfTheWholeMatrix) {
  const Tensor x(SelectedRows(10, {4}, MakeTensor<float>({1, 3}, {1, 2, 3})));
  EXPECT_EQ(x.kind(), TensorKind::kSelectedRows);
  EXPECT_EQ(x.shape(), Shape({10, 3}));
  EXPECT_EQ(x.dtype(), DataType::kFloat32);
  EXPECT_EQ(x.detach().selected_rows().height(), 10);
  EXPECT_EQ(ToString(x), "selected_rows float32[10, 3] on cpu");
}

}  // namespace
}  // namespace switchyard::eager
