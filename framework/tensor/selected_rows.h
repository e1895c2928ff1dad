// SPDX-License-Identifier: Apache-2.0
// SelectedRows: some rows of a tall matrix: the gradient of an embedding table.
// Row i of `values` belongs to row rows[i] of a tensor of `height` rows; a row
// number may occur more than once (its values add).
#ifndef SWITCHYARD_FRAMEWORK_TENSOR_SELECTED_ROWS_H_
#define SWITCHYARD_FRAMEWORK_TENSOR_SELECTED_ROWS_H_

#include <cstdint>
#include <vector>

#include "framework/tensor/dense_tensor.h"

namespace switchyard {

class SelectedRows : public TensorBase {
 public:
  SelectedRows() : TensorBase(TensorKind::kSelectedRows) {}

  const std::vector<int64_t>& rows() const { return rows_; }
  std::vector<int64_t>& mutable_rows() { return rows_; }
  const DenseTensor& values() const { return values_; }
  DenseTensor& mutable_values() { return values_; }
  int64_t height() const { return height_; }
  void set_height(int64_t height) { height_ = height; }

 private:
  std::vector<int64_t> rows_;
  DenseTensor values_;
  int64_t height_ = 0;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TENSOR_SELECTED_ROWS_H_
