// SPDX-License-Identifier: Apache-2.0
// SparseCooTensor and SparseCsrTensor: the non-zero elements of a tensor and
// where they stand. Plain values made of DenseTensors; the kernels that make
// them answer for their consistency. shape() is that of the whole tensor. Rows
// of a gradient are SelectedRows.
#ifndef SWITCHYARD_FRAMEWORK_TENSOR_SPARSE_H_
#define SWITCHYARD_FRAMEWORK_TENSOR_SPARSE_H_

#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/tensor_base.h"
#include "framework/types/shape.h"

namespace switchyard {

// Holds coordinates: element i of `values` stands at indices[:, i] of the first
// indices.extent(0) axes; the other axes are dense (axes 1.. of `values`).
class SparseCooTensor : public TensorBase {
 public:
  SparseCooTensor() : TensorBase(TensorKind::kSparseCoo) {}
  // indices: int64[sparse axes, n]; values: [n, dense axes...].
  SparseCooTensor(const Shape& shape, DenseTensor indices, DenseTensor values);

  const DenseTensor& indices() const { return indices_; }
  const DenseTensor& values() const { return values_; }

 private:
  DenseTensor indices_;
  DenseTensor values_;
};

// Holds the compressed rows of a matrix: row r has the values from crows[r] to
// crows[r + 1], in the columns cols[...]. Rank 3: one such matrix a batch,
// crows one after the other.
class SparseCsrTensor : public TensorBase {
 public:
  SparseCsrTensor() : TensorBase(TensorKind::kSparseCsr) {}
  // crows: int64[batches * (rows + 1)]; cols: int64[n]; values: [n].
  SparseCsrTensor(const Shape& shape, DenseTensor crows, DenseTensor cols,
                  DenseTensor values);

  const DenseTensor& crows() const { return crows_; }
  const DenseTensor& cols() const { return cols_; }
  const DenseTensor& values() const { return values_; }

 private:
  DenseTensor crows_;
  DenseTensor cols_;
  DenseTensor values_;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TENSOR_SPARSE_H_
