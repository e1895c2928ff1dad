// SPDX-License-Identifier: Apache-2.0
#include "framework/tensor/selected_rows.h"

#include <utility>

namespace switchyard {
namespace {

// The metadata of the matrix that has `height` rows like those of `values`.
TensorMeta MatrixMeta(int64_t height, const DenseTensor& values) {
  TensorMeta meta = values.meta();
  meta.kind = TensorKind::kSelectedRows;
  meta.lod_levels = 0;
  if (meta.shape.rank() > 0) meta.shape[0] = Dim(height);
  return meta;
}

}  // namespace

SelectedRows::SelectedRows(int64_t height, std::vector<int64_t> rows,
                           DenseTensor values)
    : TensorBase(MatrixMeta(height, values), values.buffer()),
      rows_(std::move(rows)),
      values_(std::move(values)),
      height_(height) {}

}  // namespace switchyard
