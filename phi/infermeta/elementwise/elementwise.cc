// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/elementwise/elementwise.h"

#include "absl/strings/str_cat.h"
#include "phi/infermeta/checks.h"

namespace switchyard::phi {
namespace {

absl::Status Broadcast(const TensorSpec& x, const TensorSpec& y, DataType dtype,
                       TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckDtype("y", y, x.dtype));
  if (x.shape == y.shape) return SetOutput(out, dtype, x.shape);
  SY_ASSIGN_OR_RETURN(const Shape shape,
                      BroadcastShapes("y", x.shape, y.shape));
  return SetOutput(out, dtype, shape);
}

}  // namespace

absl::Status UnchangedInferMeta(const TensorSpec& x, TensorSpec* out) {
  if (out == nullptr) return absl::OkStatus();
  *out = x;
  out->lod_levels = 0;  // Sequences stay with operators that say so.
  return absl::OkStatus();
}

absl::Status SameShapeInferMeta(const TensorSpec& x, const TensorSpec& y,
                                TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckOutGrad(y, x));
  if (!IsDifferentiable(y.dtype)) {
    return TypeError("out_grad", "floating or complex", Name(y.dtype));
  }
  return UnchangedInferMeta(x, out);
}

absl::Status UnaryGradOfOutInferMeta(const TensorSpec& x, const TensorSpec& out,
                                     const TensorSpec& out_grad,
                                     TensorSpec* x_grad) {
  SY_RETURN_IF_ERROR(CheckLike("out", out, x));
  return SameShapeInferMeta(x, out_grad, x_grad);
}

absl::Status SignGradInferMeta(const TensorSpec* x, const TensorSpec& out_grad,
                               TensorSpec* x_grad) {
  if (x != nullptr) SY_RETURN_IF_ERROR(CheckOutGrad(out_grad, *x));
  return UnchangedInferMeta(out_grad, x_grad);
}

absl::Status BroadcastInferMeta(const TensorSpec& x, const TensorSpec& y,
                                TensorSpec* out) {
  return Broadcast(x, y, x.dtype, out);
}

absl::Status AddInferMeta(const TensorSpec& x, const TensorSpec& y,
                          TensorSpec* out) {
  if (x.kind == TensorKind::kDense && y.kind == TensorKind::kDense) {
    return Broadcast(x, y, x.dtype, out);
  }
  SY_RETURN_IF_ERROR(CheckDtype("y", y, x.dtype));
  Shape shape = x.shape;
  if (x.kind == TensorKind::kTensorArray && y.kind == x.kind) {
    // One of no elements does not say what the other's are like.
    if (shape.rank() == 1) shape = y.shape;
    if (shape.rank() > 0) shape[0] = Dim::Unknown();
  }
  if (y.shape.rank() != 1 || y.kind != TensorKind::kTensorArray) {
    SY_RETURN_IF_ERROR(CheckShape("y", y, shape));
  }
  SY_RETURN_IF_ERROR(SetOutput(out, x.dtype, shape));
  if (out != nullptr && x.kind == y.kind) out->kind = x.kind;
  return absl::OkStatus();
}

absl::Status BinaryGradInferMeta(const TensorSpec& x, const TensorSpec& y,
                                 const TensorSpec& out_grad, TensorSpec* x_grad,
                                 TensorSpec* y_grad) {
  // Nothing is broadcast as a rule, and this is asked once a backward call.
  const bool alike = y.dtype == x.dtype && y.shape == x.shape &&
                     out_grad.dtype == x.dtype && out_grad.shape == x.shape;
  if (!alike) {
    TensorSpec out;
    SY_RETURN_IF_ERROR(BroadcastInferMeta(x, y, &out));
    SY_RETURN_IF_ERROR(CheckOutGrad(out_grad, out));
  }
  if (x_grad != nullptr) *x_grad = x;
  if (y_grad != nullptr) *y_grad = y;
  return absl::OkStatus();
}

absl::Status BinaryGradOfOutInferMeta(const TensorSpec& x, const TensorSpec& y,
                                      const TensorSpec& out,
                                      const TensorSpec& out_grad,
                                      TensorSpec* x_grad, TensorSpec* y_grad) {
  SY_RETURN_IF_ERROR(BinaryGradInferMeta(x, y, out_grad, x_grad, y_grad));
  return CheckLike("out", out, out_grad);
}

absl::Status CompareInferMeta(const TensorSpec& x, const TensorSpec& y,
                              TensorSpec* out) {
  return Broadcast(x, y, DataType::kBool, out);
}

absl::Status ScaleInferMeta(const TensorSpec& x, const Scalar* scale,
                            const Scalar* bias, TensorSpec* out) {
  if (scale != nullptr)
    SY_RETURN_IF_ERROR(CheckHolds("scale", *scale, x.dtype));
  if (bias != nullptr) SY_RETURN_IF_ERROR(CheckHolds("bias", *bias, x.dtype));
  return UnchangedInferMeta(x, out);
}

absl::Status PowInferMeta(const TensorSpec& x, const Scalar* y,
                          TensorSpec* out) {
  if (y != nullptr) {
    SY_RETURN_IF_ERROR(CheckHolds("y", *y, x.dtype));
    if (x.dtype == DataType::kUInt8 && y->to<double>() < 0) {
      return ArgumentError("y", "from 0 for uint8", ToString(*y));
    }
  }
  return UnchangedInferMeta(x, out);
}

absl::Status ClipInferMeta(const TensorSpec& x, const Scalar* min,
                           const Scalar* max, TensorSpec* out) {
  if (min != nullptr) SY_RETURN_IF_ERROR(CheckHolds("min", *min, x.dtype));
  if (max != nullptr) SY_RETURN_IF_ERROR(CheckHolds("max", *max, x.dtype));
  // Tensors supply one of them: the other is looked at then, too.
  if (min == nullptr || max == nullptr) return UnchangedInferMeta(x, out);
  const double low = min->to<double>(), high = max->to<double>();
  if (low > high) {
    return ArgumentError("max", absl::StrCat("at least min, ", low),
                         absl::StrCat(high));
  }
  return UnchangedInferMeta(x, out);
}

absl::Status WhereInferMeta(const TensorSpec& condition, const TensorSpec& x,
                            const TensorSpec& y, TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckDtype("condition", condition, DataType::kBool));
  SY_RETURN_IF_ERROR(CheckDtype("y", y, x.dtype));
  SY_ASSIGN_OR_RETURN(const Shape values,
                      BroadcastShapes("y", x.shape, y.shape));
  SY_ASSIGN_OR_RETURN(const Shape shape,
                      BroadcastShapes("condition", values, condition.shape));
  return SetOutput(out, x.dtype, shape);
}

absl::Status LogicalNotInferMeta(const TensorSpec& x, TensorSpec* out) {
  return SetOutput(out, DataType::kBool, x.shape);
}

}  // namespace switchyard::phi
