// SPDX-License-Identifier: Apache-2.0
// InferMeta of linear_epilogue: mul's rule (linalg.h), and what is done with
// the sums.
#ifndef SWITCHYARD_PHI_INFERMETA_LINALG_LINEAR_EPILOGUE_H_
#define SWITCHYARD_PHI_INFERMETA_LINALG_LINEAR_EPILOGUE_H_

#include "framework/base/status.h"
#include "framework/types/tensor_spec.h"

namespace switchyard::phi {

// x flattened to a matrix whose rows its first x_num_col_dims axes number,
// times the matrix y; `bias` has a number for each column of y, `residual` one
// for each of the sums.
absl::Status LinearEpilogueInferMeta(const TensorSpec& x, const TensorSpec& y,
                                     const TensorSpec* bias,
                                     const TensorSpec* residual,
                                     int x_num_col_dims, TensorSpec* out);

}  // namespace switchyard::phi

#endif  // SWITCHYARD_PHI_INFERMETA_LINALG_LINEAR_EPILOGUE_H_
