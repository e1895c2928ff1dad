// SPDX-License-Identifier: Apache-2.0
#include "tests/explain/tensor_of_kind.h"

#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "framework/tensor/selected_rows.h"
#include "framework/tensor/sparse.h"
#include "framework/tensor/string_tensor.h"
#include "framework/tensor/tensor_array.h"
#include "framework/testing/tensors.h"

namespace switchyard {
namespace {

// A contiguous view of `dense`, which has as many elements.
DenseTensor Reshaped(const DenseTensor& dense, const Shape& shape) {
  DenseTensor view;
  view.SetView(dense, shape, ContiguousStrides(shape), /*offset=*/0);
  return view;
}

std::shared_ptr<const TensorBase> Coo(const DenseTensor& dense) {
  const int64_t count = dense.numel();
  std::vector<int64_t> indices;
  for (int axis = 0; axis < dense.rank(); ++axis) {
    const int64_t step = ContiguousStrides(dense.shape())[axis];
    for (int64_t i = 0; i < count; ++i) {
      indices.push_back(i / step % dense.extent(axis));
    }
  }
  return std::make_shared<SparseCooTensor>(
      dense.shape(), MakeTensor<int64_t>(Shape({dense.rank(), count}), indices),
      Reshaped(dense, Shape({count})));
}

std::shared_ptr<const TensorBase> Csr(const DenseTensor& dense) {
  const int64_t columns = dense.extent(dense.rank() - 1);
  const int64_t rows = dense.extent(dense.rank() - 2);
  const int64_t batches = dense.numel() / (rows * columns);
  std::vector<int64_t> crows, cols;
  for (int64_t batch = 0; batch < batches; ++batch) {
    for (int64_t row = 0; row <= rows; ++row) crows.push_back(row * columns);
  }
  for (int64_t i = 0; i < dense.numel(); ++i) cols.push_back(i % columns);
  return std::make_shared<SparseCsrTensor>(
      dense.shape(), MakeTensor<int64_t>(Shape({batches * (rows + 1)}), crows),
      MakeTensor<int64_t>(Shape({dense.numel()}), cols),
      Reshaped(dense, Shape({dense.numel()})));
}

std::shared_ptr<const TensorBase> Array(const DenseTensor& dense) {
  Shape shape;
  for (int axis = 1; axis < dense.rank(); ++axis) {
    shape.push_back(dense.shape()[axis]);
  }
  const size_t bytes =
      static_cast<size_t>(shape.numel()) * ElementSize(dense.dtype());
  std::vector<ElementList::Element> elements;
  for (int64_t i = 0; i < dense.extent(0); ++i) {
    DenseTensor element = EmptyTensor(dense.dtype(), shape);
    std::memcpy(element.buffer()->data(),
                static_cast<const char*>(dense.raw_data()) +
                    static_cast<size_t>(i) * bytes,
                bytes);
    elements.push_back(std::make_shared<const DenseTensor>(std::move(element)));
  }
  return std::make_shared<TensorArray>(dense.dtype(), shape, Place::Cpu(),
                                       ElementList(std::move(elements)));
}

std::shared_ptr<const TensorBase> Rows(const DenseTensor& dense) {
  std::vector<int64_t> rows(static_cast<size_t>(dense.extent(0)));
  std::iota(rows.begin(), rows.end(), 0);
  return std::make_shared<SelectedRows>(dense.extent(0), std::move(rows),
                                        dense);
}

std::shared_ptr<const TensorBase> Texts(const Shape& shape) {
  std::vector<std::string> texts(static_cast<size_t>(shape.numel()));
  for (size_t i = 0; i < texts.size(); ++i) {
    texts[i] = "Text \xc3\x9f " + std::to_string(i);
  }
  return std::make_shared<StringTensor>(shape, std::move(texts));
}

}  // namespace

std::shared_ptr<const TensorBase> MakeTensorOfKind(TensorKind kind,
                                                   const DenseTensor& dense) {
  switch (kind) {
    case TensorKind::kSparseCoo:
      return Coo(dense);
    case TensorKind::kSparseCsr:
      return Csr(dense);
    case TensorKind::kTensorArray:
      return Array(dense);
    case TensorKind::kSelectedRows:
      return Rows(dense);
    case TensorKind::kStrings:
      return Texts(dense.shape());
    default:
      return nullptr;
  }
}

}  // namespace switchyard
