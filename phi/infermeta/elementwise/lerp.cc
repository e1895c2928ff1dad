// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/elementwise/lerp.h"

#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {

absl::Status LerpInferMeta(const TensorSpec& x, const TensorSpec& y,
                           const TensorSpec& weight, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckDtype("y", y, x.dtype));
  SY_RETURN_IF_ERROR(CheckDtype("weight", weight, x.dtype));
  SY_ASSIGN_OR_RETURN(const Shape ends, BroadcastShapes("y", x.shape, y.shape));
  SY_ASSIGN_OR_RETURN(const Shape shape,
                      BroadcastShapes("weight", ends, weight.shape));
  return SetOutput(out, x.dtype, shape);
}

}  // namespace switchyard::phi
