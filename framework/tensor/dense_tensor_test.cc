// SPDX-License-Identifier: Apache-2.0
#include "framework/tensor/dense_tensor.h"

#include "framework/testing/matchers.h"
#include "framework/testing/tensors.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(DenseTensorTest, StartsWithoutDtypeAndBuffer) {
  const DenseTensor tensor;
  EXPECT_EQ(tensor.kind(), TensorKind::kDense);
  EXPECT_EQ(tensor.dtype(), DataType::kUndefined);
  EXPECT_FALSE(tensor.allocated());
  EXPECT_EQ(tensor.raw_data(), nullptr);
  EXPECT_EQ(ToString(tensor), "undefined[] on cpu");
}

TEST(DenseTensorTest, SetMetaMakesAContiguousOutput) {
  DenseTensor tensor = MakeTensor<float>({2}, {1, 2});
  tensor.SetMeta(DataType::kInt64, {2, 3}, Place::Gpu(1));
  EXPECT_FALSE(tensor.allocated());
  EXPECT_EQ(tensor.numel(), 6);
  EXPECT_EQ(tensor.byte_size(), 48u);
  EXPECT_EQ(tensor.extent(1), 3);
  EXPECT_EQ(tensor.strides()[0], 3);
  EXPECT_EQ(tensor.offset(), 0);
  EXPECT_TRUE(tensor.contiguous());
  EXPECT_EQ(ToString(tensor), "int64[2, 3] on gpu:1");
}

TEST(DenseTensorTest, CopiesShareTheBuffer) {
  DenseTensor tensor = MakeTensor<float>({2}, {1, 2});
  const DenseTensor copy = tensor;
  tensor.mutable_data<float>()[0] = 7;
  EXPECT_EQ(ToVector<float>(copy), (std::vector<float>{7, 2}));
  EXPECT_EQ(copy.buffer(), tensor.buffer());
}

TEST(DenseTensorTest, ViewsShareTheBufferAndHaveTheirOwnGeometry) {
  const DenseTensor base = MakeTensor<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  DenseTensor column;
  column.SetView(base, {2}, {3}, 1);
  EXPECT_FALSE(column.contiguous());
  EXPECT_EQ(column.dtype(), DataType::kInt32);
  EXPECT_EQ(column.numel(), 2);
  EXPECT_EQ(column.data<int32_t>(), base.data<int32_t>() + 1);
  EXPECT_EQ(ToVector<int32_t>(column), (std::vector<int32_t>{2, 5}));
  EXPECT_FALSE(base.buffer()->unique());
  DenseTensor row;
  row.SetView(base, {3}, {1}, 3);
  EXPECT_TRUE(row.contiguous());
  EXPECT_EQ(ToVector<int32_t>(row), (std::vector<int32_t>{4, 5, 6}));
}

TEST(DenseTensorTest, ATensorMayBecomeAViewOfItself) {
  DenseTensor tensor = MakeTensor<float>({4}, {1, 2, 3, 4});
  tensor.SetView(tensor, {2, 2}, {1, 2}, 0);
  EXPECT_EQ(ToVector<float>(tensor), (std::vector<float>{1, 3, 2, 4}));
}

TEST(DenseTensorTest, EmptyTensorsHaveABuffer) {
  const DenseTensor tensor = MakeTensor<float>({0, 3}, {});
  EXPECT_TRUE(tensor.allocated());
  EXPECT_EQ(tensor.numel(), 0);
}

TEST(DenseTensorTest, LodIsShared) {
  DenseTensor tensor = MakeTensor<float>({2}, {1, 2});
  EXPECT_EQ(tensor.lod(), nullptr);
  tensor.SetLod(std::make_shared<const LoD>(LoD{{{0, 2}}}));
  const DenseTensor copy = tensor;
  EXPECT_EQ(copy.lod(), tensor.lod());
  tensor.SetLod(std::make_shared<const LoD>());  // No level is no LoD.
  EXPECT_EQ(tensor.lod(), nullptr);
}

TEST(CheckedByteSizeTest, CountsBytes) {
  EXPECT_THAT(CheckedByteSize(DataType::kFloat32, {2, 3}), IsOkAndHolds(24));
  EXPECT_THAT(CheckedByteSize(DataType::kFloat64, {}), IsOkAndHolds(8));
  EXPECT_THAT(CheckedByteSize(DataType::kBool, {0, 3}), IsOkAndHolds(0));
}

TEST(CheckedByteSizeTest, SizesBeyondInt64AreErrors) {
  constexpr int64_t kLarge = int64_t{1} << 40;
  EXPECT_THAT(CheckedByteSize(DataType::kBool, {kLarge, kLarge}),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       "shape must be of fewer than 2^63 elements, got "
                       "[1099511627776, 1099511627776]"));
  EXPECT_THAT(CheckedByteSize(DataType::kFloat64, {kLarge, 1 << 20}),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       "shape must be of fewer than 2^63 bytes, got "
                       "float64[1099511627776, 1048576]"));
}

}  // namespace
}  // namespace switchyard
