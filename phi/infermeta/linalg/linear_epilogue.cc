// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/linalg/linear_epilogue.h"

#include "phi/infermeta/checks.h"
#include "phi/infermeta/linalg/linalg.h"

namespace switchyard::phi {

absl::Status LinearEpilogueInferMeta(const TensorSpec& x, const TensorSpec& y,
                                     const TensorSpec* bias,
                                     const TensorSpec* residual,
                                     int x_num_col_dims, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckRank("y", y, 2));
  TensorSpec product;
  SY_RETURN_IF_ERROR(
      MulInferMeta(x, y, x_num_col_dims, /*y_num_col_dims=*/1, &product));
  if (bias != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtype("bias", *bias, x.dtype));
    SY_RETURN_IF_ERROR(CheckShape("bias", *bias, Shape({y.shape[1]})));
  }
  if (residual != nullptr) {
    SY_RETURN_IF_ERROR(CheckDtype("residual", *residual, x.dtype));
    SY_RETURN_IF_ERROR(CheckShape("residual", *residual, product.shape));
  }
  return SetOutput(out, product.dtype, product.shape);
}

}  // namespace switchyard::phi
