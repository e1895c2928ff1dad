// SPDX-License-Identifier: Apache-2.0
// SparseCooTensor and SparseCsrTensor: the non-zero elements of a tensor and
// where they stand. Plain values made of DenseTensors; the kernels that make
// them answer for their consistency. Rows of a gradient are SelectedRows.
#ifndef SWITCHYARD_FRAMEWORK_TENSOR_SPARSE_H_
#define SWITCHYARD_FRAMEWORK_TENSOR_SPARSE_H_

#include <utility>

#include "framework/tensor/dense_tensor.h"

namespace switchyard {

// Coordinates: element i of `values` stands at indices[:, i] of the first
// indices.extent(0) axes; the other axes are dense (axes 1.. of `values`).
class SparseCooTensor : public TensorBase {
 public:
  SparseCooTensor() : TensorBase(TensorKind::kSparseCoo) {}
  // indices: int64[sparse axes, n]; values: [n, dense axes...].
  SparseCooTensor(Shape shape, DenseTensor indices, DenseTensor values)
      : TensorBase(TensorKind::kSparseCoo),
        shape_(shape),
        indices_(std::move(indices)),
        values_(std::move(values)) {}

  const Shape& shape() const { return shape_; }
  DataType dtype() const { return values_.dtype(); }
  const DenseTensor& indices() const { return indices_; }
  const DenseTensor& values() const { return values_; }
  DenseTensor& mutable_indices() { return indices_; }
  DenseTensor& mutable_values() { return values_; }
  void set_shape(const Shape& shape) { shape_ = shape; }

 private:
  Shape shape_;
  DenseTensor indices_;
  DenseTensor values_;
};

// Compressed rows of a matrix: row r holds the values from crows[r] to
// crows[r + 1], in the columns cols[...]. Of rank 3: one such matrix a batch,
// crows one after the other.
class SparseCsrTensor : public TensorBase {
 public:
  SparseCsrTensor() : TensorBase(TensorKind::kSparseCsr) {}
  // crows: int64[batches * (rows + 1)]; cols: int64[n]; values: [n].
  SparseCsrTensor(Shape shape, DenseTensor crows, DenseTensor cols,
                  DenseTensor values)
      : TensorBase(TensorKind::kSparseCsr),
        shape_(shape),
        crows_(std::move(crows)),
        cols_(std::move(cols)),
        values_(std::move(values)) {}

  const Shape& shape() const { return shape_; }
  DataType dtype() const { return values_.dtype(); }
  const DenseTensor& crows() const { return crows_; }
  const DenseTensor& cols() const { return cols_; }
  const DenseTensor& values() const { return values_; }
  DenseTensor& mutable_crows() { return crows_; }
  DenseTensor& mutable_cols() { return cols_; }
  DenseTensor& mutable_values() { return values_; }
  void set_shape(const Shape& shape) { shape_ = shape; }

 private:
  Shape shape_;
  DenseTensor crows_;
  DenseTensor cols_;
  DenseTensor values_;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TENSOR_SPARSE_H_
