// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/ordering/scan.h"

#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"
#include "phi/infermeta/ordering/ordering.h"
#include "phi/infermeta/reduction/reduction.h"

namespace switchyard::phi {
namespace {

absl::Status CheckAxis(const char* argument, const TensorSpec& x, int axis) {
  return NormalizeAxis(argument, axis, x.shape.rank(), /*scalar_ok=*/true)
      .status();
}

}  // namespace

absl::Status CumprodInferMeta(const TensorSpec& x, int dim, bool /*exclusive*/,
                              bool /*reverse*/, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckAxis("dim", x, dim));
  return UnchangedInferMeta(x, out);
}

absl::Status CumprodGradInferMeta(const TensorSpec& x,
                                  const TensorSpec& out_grad, int dim,
                                  bool /*exclusive*/, bool /*reverse*/,
                                  TensorSpec* x_grad) {
  SY_RETURN_IF_ERROR(CheckAxis("dim", x, dim));
  SY_RETURN_IF_ERROR(CheckOutGrad(out_grad, x));
  return UnchangedInferMeta(x, x_grad);
}

absl::Status LogcumsumexpGradInferMeta(const TensorSpec& x,
                                       const TensorSpec& out,
                                       const TensorSpec& out_grad, int axis,
                                       bool flatten, bool exclusive,
                                       bool reverse, TensorSpec* x_grad) {
  TensorSpec sums;
  SY_RETURN_IF_ERROR(
      CumsumInferMeta(x, axis, flatten, exclusive, reverse, &sums));
  SY_RETURN_IF_ERROR(CheckLike("out", out, sums));
  SY_RETURN_IF_ERROR(CheckOutGrad(out_grad, sums));
  return UnchangedInferMeta(x, x_grad);
}

absl::Status CummaxInferMeta(const TensorSpec& x, int axis, DataType dtype,
                             TensorSpec* out, TensorSpec* indices) {
  SY_RETURN_IF_ERROR(CheckAxis("axis", x, axis));
  if (dtype != DataType::kInt32 && dtype != DataType::kInt64) {
    return TypeError("dtype", "int32 or int64", Name(dtype));
  }
  SY_RETURN_IF_ERROR(SetOutput(indices, dtype, x.shape));
  return UnchangedInferMeta(x, out);
}

absl::Status LogsumexpGradInferMeta(const TensorSpec& x, const TensorSpec& out,
                                    const TensorSpec& out_grad, AttrValues axis,
                                    bool keepdim, TensorSpec* x_grad) {
  SY_ASSIGN_OR_RETURN(const Shape shape, ReducedShape(x.shape, axis, keepdim));
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("out", out, x.dtype, shape));
  SY_RETURN_IF_ERROR(CheckDtypeAndShape("out_grad", out_grad, x.dtype, shape));
  return UnchangedInferMeta(x, x_grad);
}

}  // namespace switchyard::phi
