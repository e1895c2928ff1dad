// SPDX-License-Identifier: Apache-2.0
// The kinds of tensor that are only made of DenseTensors.
#include <memory>

#include "framework/tensor/owned_tensor.h"
#include "framework/tensor/selected_rows.h"
#include "framework/tensor/sparse.h"
#include "framework/tensor/tensor_array.h"
#include "framework/testing/tensors.h"
#include "framework/types/tensor_spec.h"
#include "gtest/gtest.h"

namespace switchyard {
namespace {

TEST(TensorSpecTest, StartsUndefined) {
  const TensorSpec meta;
  EXPECT_EQ(meta.dtype, DataType::kUndefined);
  EXPECT_EQ(meta.kind, TensorKind::kDense);
  EXPECT_EQ(meta.shape.rank(), 0);
}

TEST(SelectedRowsTest, HoldsRowsAndValues) {
  const SelectedRows gradient(10, {4, 1, 4},
                              MakeTensor<float>({3, 1}, {1, 2, 3}));
  const SelectedRows copy = gradient;
  EXPECT_EQ(copy.kind(), TensorKind::kSelectedRows);
  EXPECT_EQ(copy.rows(), (std::vector<int64_t>{4, 1, 4}));
  EXPECT_EQ(copy.values().buffer(), gradient.values().buffer());
  EXPECT_EQ(copy.height(), 10);
}

// The base class alone gives all that any tensor must answer.
TEST(TensorBaseTest, AnswersForAnyKind) {
  const SelectedRows rows(10, {4}, MakeTensor<float>({1, 3}, {1, 2, 3}));
  const SparseCooTensor coo({2, 3}, MakeTensor<int64_t>({2, 1}, {0, 2}),
                            MakeTensor<double>({1}, {5}));
  const struct {
    const TensorBase& tensor;
    DataType dtype;
    Shape shape;
    const DenseTensor& values;
  } cases[] = {{rows, DataType::kFloat32, Shape({10, 3}), rows.values()},
               {coo, DataType::kFloat64, Shape({2, 3}), coo.values()}};
  for (const auto& [tensor, dtype, shape, values] : cases) {
    EXPECT_EQ(tensor.dtype(), dtype);
    EXPECT_EQ(tensor.shape(), shape);
    EXPECT_EQ(tensor.place(), Place::Cpu());
    EXPECT_TRUE(tensor.allocated());
    EXPECT_EQ(tensor.buffer(), values.buffer());
  }
  EXPECT_FALSE(SelectedRows().allocated());
  EXPECT_EQ(SelectedRows().dtype(), DataType::kUndefined);
}

TEST(OwnedTensorTest, IsOfTheKindAskedFor) {
  for (TensorKind kind :
       {TensorKind::kDense, TensorKind::kSelectedRows, TensorKind::kSparseCoo,
        TensorKind::kSparseCsr, TensorKind::kTensorArray}) {
    const OwnedTensor tensor = NewTensor(kind);
    EXPECT_EQ(tensor->kind(), kind);
    EXPECT_FALSE(tensor->allocated());
  }
  const SelectedRows rows(10, {4}, MakeTensor<float>({1, 3}, {1, 2, 3}));
  const OwnedTensor copy = CopyTensor(rows);
  EXPECT_EQ(static_cast<const SelectedRows&>(*copy).rows(), rows.rows());
  EXPECT_EQ(copy->buffer(), rows.buffer());
  ResetTensor(copy.get());
  EXPECT_FALSE(copy->allocated());
  EXPECT_EQ(copy->kind(), TensorKind::kSelectedRows);
  EXPECT_TRUE(rows.allocated());
}

TEST(OwnedTensorTest, AssignsWhatIsOfTheSameKind) {
  const SelectedRows rows(10, {4}, MakeTensor<float>({1, 3}, {1, 2, 3}));
  const OwnedTensor other = NewTensor(TensorKind::kSelectedRows);
  AssignTensor(rows, other.get());
  EXPECT_EQ(other->buffer(), rows.buffer());
  EXPECT_EQ(static_cast<const SelectedRows&>(*other).height(), 10);
}

TEST(TensorArrayTest, SharesElementsAndKnowsTheirShape) {
  const auto element =
      std::make_shared<const DenseTensor>(MakeTensor<float>({2, 1}, {1, 2}));
  const Shape any({Dim::Unknown(), 1});
  const TensorArray array(DataType::kFloat32, any, Place::Cpu(),
                          ElementList({element, nullptr, element}));
  EXPECT_EQ(array.kind(), TensorKind::kTensorArray);
  EXPECT_TRUE(array.allocated());
  EXPECT_EQ(array.length(), 3);
  EXPECT_EQ(array.shape(), Shape({3, Dim::Unknown(), 1}));
  EXPECT_EQ(array.element_shape(), any);
  EXPECT_EQ(ElementShape(ArrayShape(Dim(7), any)), any);
  const TensorArray copy = array;
  EXPECT_EQ(copy.elements()[0].get(), element.get());
  EXPECT_EQ(copy.elements()[1], nullptr);
  EXPECT_TRUE(TensorArray().elements().empty());
  EXPECT_FALSE(TensorArray().allocated());
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
