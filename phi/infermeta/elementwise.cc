// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/elementwise.h"

#include "phi/infermeta/checks.h"

namespace switchyard::phi {
namespace {

absl::Status Broadcast(const MetaTensor& x, const MetaTensor& y, DataType dtype,
                       MetaTensor* out) {
  SY_RETURN_IF_ERROR(CheckDtype("y", y, x.dtype));
  if (x.shape == y.shape) return SetOutput(out, dtype, x.shape);
  SY_ASSIGN_OR_RETURN(const Shape shape,
                      BroadcastShapes("y", x.shape, y.shape));
  return SetOutput(out, dtype, shape);
}

}  // namespace

absl::Status UnchangedInferMeta(const MetaTensor& x, MetaTensor* out) {
  if (out != nullptr) *out = x;
  return absl::OkStatus();
}

absl::Status SameShapeInferMeta(const MetaTensor& x, const MetaTensor& y,
                                MetaTensor* out) {
  SY_RETURN_IF_ERROR(CheckDtype("out_grad", y, x.dtype));
  SY_RETURN_IF_ERROR(CheckShape("out_grad", y, x.shape));
  return UnchangedInferMeta(x, out);
}

absl::Status BroadcastInferMeta(const MetaTensor& x, const MetaTensor& y,
                                MetaTensor* out) {
  return Broadcast(x, y, x.dtype, out);
}

absl::Status BinaryGradInferMeta(const MetaTensor& x, const MetaTensor& y,
                                 MetaTensor* x_grad, MetaTensor* y_grad) {
  SY_RETURN_IF_ERROR(UnchangedInferMeta(x, x_grad));
  return UnchangedInferMeta(y, y_grad);
}

absl::Status CompareInferMeta(const MetaTensor& x, const MetaTensor& y,
                              MetaTensor* out) {
  return Broadcast(x, y, DataType::kBool, out);
}

absl::Status LogicalNotInferMeta(const MetaTensor& x, MetaTensor* out) {
  return SetOutput(out, DataType::kBool, x.shape);
}

}  // namespace switchyard::phi
