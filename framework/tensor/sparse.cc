// SPDX-License-Identifier: Apache-2.0
#include "framework/tensor/sparse.h"

#include <utility>

namespace switchyard {
namespace {

// The metadata of the tensor of `shape` whose non-zero elements are `values`.
TensorMeta WholeMeta(TensorKind kind, const Shape& shape,
                     const DenseTensor& values) {
  TensorMeta meta = values.meta();
  meta.kind = kind;
  meta.lod_levels = 0;
  meta.shape = shape;
  return meta;
}

}  // namespace

SparseCooTensor::SparseCooTensor(const Shape& shape, DenseTensor indices,
                                 DenseTensor values)
    : TensorBase(WholeMeta(TensorKind::kSparseCoo, shape, values),
                 values.buffer()),
      indices_(std::move(indices)),
      values_(std::move(values)) {}

SparseCsrTensor::SparseCsrTensor(const Shape& shape, DenseTensor crows,
                                 DenseTensor cols, DenseTensor values)
    : TensorBase(WholeMeta(TensorKind::kSparseCsr, shape, values),
                 values.buffer()),
      crows_(std::move(crows)),
      cols_(std::move(cols)),
      values_(std::move(values)) {}

}  // namespace switchyard
