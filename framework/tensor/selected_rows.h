// SPDX-License-Identifier: Apache-2.0
// SelectedRows: some rows of a tall matrix, as a kind of tensor.
#ifndef SWITCHYARD_FRAMEWORK_TENSOR_SELECTED_ROWS_H_
#define SWITCHYARD_FRAMEWORK_TENSOR_SELECTED_ROWS_H_

#include <cstdint>
#include <vector>

#include "framework/tensor/dense_tensor.h"
#include "framework/tensor/tensor_base.h"

namespace switchyard {

// Holds some rows of a tall matrix: the gradient of an embedding table. Row i
// of `values` belongs to row rows[i] of a tensor of `height` rows; a row number
// may occur more than once (its values add). Its shape() is that of the tall
// matrix. A copy shares the buffer of `values` and has row numbers of its own.
// The kernel that makes one answers for row numbers in [0, height).
class SelectedRows : public TensorBase {
 public:
  // No dtype, no values: an output before its kernel ran.
  SelectedRows() : TensorBase(TensorKind::kSelectedRows) {}
  // values: [rows.size(), the matrix's other extents...]. Every row number must
  // be in [0, height).
  SelectedRows(int64_t height, std::vector<int64_t> rows, DenseTensor values);

  const std::vector<int64_t>& rows() const { return rows_; }
  // Its memory is this tensor's: what is written there is written here.
  const DenseTensor& values() const { return values_; }
  int64_t height() const { return height_; }

 private:
  std::vector<int64_t> rows_;
  DenseTensor values_;
  int64_t height_ = 0;
};

}  // namespace switchyard

#endif  // SWITCHYARD_FRAMEWORK_TENSOR_SELECTED_ROWS_H_
