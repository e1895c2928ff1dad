// SPDX-License-Identifier: Apache-2.0
// InferMeta of matrix products.
#ifndef SWITCHYARD_PHI_INFERMETA_LINALG_LINALG_H_
#define SWITCHYARD_PHI_INFERMETA_LINALG_LINALG_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// NumPy's matmul: x [..., m, k] (or [..., k, m] where transpose_x), y [..., k,
// n], out [..., m, n], the leading axes broadcast. A 1-d operand is a row (x)
// or column (y) whose axis of extent 1 is dropped from out; its transpose flag
// has no effect. Ranks from 1; dtypes equal.
absl::Status MatmulInferMeta(const TensorSpec& x, const TensorSpec& y,
                             bool transpose_x, bool transpose_y,
                             TensorSpec* out);

// matmul's rule for x and weight; `bias` has a number for each column of the
// product.
absl::Status LinearInferMeta(const TensorSpec& x, const TensorSpec& weight,
                             const TensorSpec* bias, TensorSpec* out);

// x flattened to [product of the first x_num_col_dims extents, rest] times y
// alike; out: the leading extents of x, then the trailing ones of y.
// 0 < num_col_dims < rank.
absl::Status MulInferMeta(const TensorSpec& x, const TensorSpec& y,
                          int x_num_col_dims, int y_num_col_dims,
                          TensorSpec* out);

// out: [b, m, n] for x [b, m, k] and y [b, k, n], of one dtype.
absl::Status BmmInferMeta(const TensorSpec& x, const TensorSpec& y,
                          TensorSpec* out);

// out: x without axis1 and axis2, two axes of it.
absl::Status TraceInferMeta(const TensorSpec& x, int offset, int axis1,
                            int axis2, TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_LINALG_LINALG_H_
