// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/activation.h"

#include "phi/infermeta/elementwise.h"

namespace switchyard::phi {

absl::Status SoftmaxInferMeta(const MetaTensor& x, int axis, MetaTensor* out) {
  SY_RETURN_IF_ERROR(
      NormalizeAxis("axis", axis, x.shape.rank(), /*scalar_ok=*/true).status());
  return UnchangedInferMeta(x, out);
}

absl::Status SoftmaxGradInferMeta(const MetaTensor& out,
                                  const MetaTensor& out_grad, int axis,
                                  MetaTensor* x_grad) {
  SY_RETURN_IF_ERROR(
      NormalizeAxis("axis", axis, out.shape.rank(), /*scalar_ok=*/true)
          .status());
  return SameShapeInferMeta(out, out_grad, x_grad);
}

}  // namespace switchyard::phi
