// SPDX-License-Identifier: Apache-2.0
// FinishRows: adds a bias and other rows to rows of sums and applies a
// function, vector by vector, in place. Every element goes through
// the same instructions, whatever its position.
#ifndef SWITCHYARD_PHI_KERNELS_CPU_LINALG_FINISH_ROWS_H_
#define SWITCHYARD_PHI_KERNELS_CPU_LINALG_FINISH_ROWS_H_

#include <cstdint>

#include "framework/types/post_ops.h"

namespace switchyard::phi::kernels::cpu {

// Some columns of some rows.
template <typename T>
struct FinishedRows {
  const T* bias;   // A number a column; null: none.
  const T* added;  // As the sums lie; null: none.
  PostOp step;
  int64_t rows, columns;
  T* sums;
  int64_t stride;  // From row to row.
};

void FinishRows(const FinishedRows<float>& rows);
void FinishRows(const FinishedRows<double>& rows);

}  // namespace switchyard::phi::kernels::cpu

#endif  // SWITCHYARD_PHI_KERNELS_CPU_LINALG_FINISH_ROWS_H_
