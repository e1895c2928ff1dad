// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/softmax/softmax.h"

#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {

absl::Status SoftmaxInferMeta(const TensorSpec& x, int axis, TensorSpec* out) {
  SY_RETURN_IF_ERROR(
      NormalizeAxis("axis", axis, x.shape.rank(), /*scalar_ok=*/true).status());
  return UnchangedInferMeta(x, out);
}

absl::Status SoftmaxGradInferMeta(const TensorSpec& out,
                                  const TensorSpec& out_grad, int axis,
                                  TensorSpec* x_grad) {
  SY_RETURN_IF_ERROR(
      NormalizeAxis("axis", axis, out.shape.rank(), /*scalar_ok=*/true)
          .status());
  return SameShapeInferMeta(out, out_grad, x_grad);
}

}  // namespace switchyard::phi
