// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/reduction.h"

#include <array>
#include <string>

#include "phi/infermeta/checks.h"

namespace switchyard::phi {
namespace {

bool HasZero(const Shape& shape) {
  for (const Dim dim : shape.dims()) {
    if (dim == Dim(0)) return true;
  }
  return false;
}

absl::Status CheckBroadcastsTo(std::string_view argument, const Shape& shape,
                               const Shape& x) {
  if (MayBroadcastTo(shape, x)) return absl::OkStatus();
  return ArgumentError(argument, "such that it broadcasts to x",
                       ToString(shape) + " for x " + ToString(x));
}

}  // namespace

absl::StatusOr<Shape> ReducedShape(const Shape& x, IntArray axis,
                                   bool keepdim) {
  std::array<bool, kMaxRank> reduced = {};
  for (const int64_t a : axis) {
    SY_ASSIGN_OR_RETURN(const int i,
                        NormalizeAxis("axis", a, x.rank(), /*scalar_ok=*/true));
    if (reduced[i]) {
      return ArgumentError("axis", "without repetitions",
                           std::to_string(a) + " a second time");
    }
    reduced[i] = true;
  }
  if (axis.empty()) reduced.fill(true);
  Shape shape;
  for (int i = 0; i < x.rank(); ++i) {
    if (!reduced[i]) {
      shape.push_back(x[i]);
    } else if (keepdim) {
      shape.push_back(1);
    }
  }
  return shape;
}

absl::Status SumInferMeta(const TensorSpec& x, IntArray axis, DataType dtype,
                          bool keepdim, TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Shape shape, ReducedShape(x.shape, axis, keepdim));
  if (dtype == DataType::kBool) {
    return TypeError("dtype", "a dtype of numbers", Name(dtype));
  }
  if (dtype == DataType::kUndefined) {
    const bool widens =
        x.dtype == DataType::kInt32 || x.dtype == DataType::kBool;
    dtype = widens ? DataType::kInt64 : x.dtype;
  }
  return SetOutput(out, dtype, shape);
}

absl::Status AnyInferMeta(const TensorSpec& x, IntArray axis, bool keepdim,
                          TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Shape shape, ReducedShape(x.shape, axis, keepdim));
  return SetOutput(out, DataType::kBool, shape);
}

absl::Status MeanInferMeta(const TensorSpec& x, IntArray axis, bool keepdim,
                           TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Shape shape, ReducedShape(x.shape, axis, keepdim));
  return SetOutput(out, x.dtype, shape);
}

absl::Status MaxInferMeta(const TensorSpec& x, IntArray axis, bool keepdim,
                          TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Shape shape, ReducedShape(x.shape, axis, keepdim));
  if (HasZero(x.shape) && !HasZero(shape)) {
    return ArgumentError("x", "with elements along the reduced axes",
                         ToString(x.shape));
  }
  return SetOutput(out, x.dtype, shape);
}

absl::Status SumGradInferMeta(const TensorSpec& x, const TensorSpec& out_grad,
                              IntArray axis, bool keepdim, TensorSpec* x_grad) {
  SY_ASSIGN_OR_RETURN(const Shape shape, ReducedShape(x.shape, axis, keepdim));
  SY_RETURN_IF_ERROR(CheckShape("out_grad", out_grad, shape));
  return SetOutput(x_grad, x.dtype, x.shape);
}

absl::Status ReduceGradInferMeta(const TensorSpec& x,
                                 const TensorSpec& out_grad, IntArray axis,
                                 bool keepdim, TensorSpec* x_grad) {
  TensorSpec out;
  SY_RETURN_IF_ERROR(MeanInferMeta(x, axis, keepdim, &out));
  SY_RETURN_IF_ERROR(CheckOutGrad(out_grad, out));
  return SetOutput(x_grad, x.dtype, x.shape);
}

absl::Status MaxGradInferMeta(const TensorSpec& x, const TensorSpec& out,
                              const TensorSpec& out_grad, IntArray axis,
                              bool keepdim, TensorSpec* x_grad) {
  SY_ASSIGN_OR_RETURN(const Shape shape, ReducedShape(x.shape, axis, keepdim));
  SY_RETURN_IF_ERROR(CheckDtype("out", out, x.dtype));
  SY_RETURN_IF_ERROR(CheckShape("out", out, shape));
  return ReduceGradInferMeta(x, out_grad, axis, keepdim, x_grad);
}

absl::Status ReduceAsInferMeta(const TensorSpec& x, const TensorSpec& target,
                               TensorSpec* out) {
  SY_RETURN_IF_ERROR(CheckBroadcastsTo("target", target.shape, x.shape));
  return SetOutput(out, x.dtype, target.shape);
}

absl::Status ReduceAsGradInferMeta(const TensorSpec& x,
                                   const TensorSpec& out_grad,
                                   TensorSpec* x_grad) {
  SY_RETURN_IF_ERROR(CheckDtype("out_grad", out_grad, x.dtype));
  SY_RETURN_IF_ERROR(CheckBroadcastsTo("out_grad", out_grad.shape, x.shape));
  return SetOutput(x_grad, x.dtype, x.shape);
}

absl::Status ArgmaxInferMeta(const TensorSpec& x, int64_t axis, bool keepdims,
                             bool flatten, DataType dtype, TensorSpec* out) {
  if (dtype != DataType::kInt64 && dtype != DataType::kInt32) {
    return TypeError("dtype", "int32 or int64", Name(dtype));
  }
  const IntArray axes = flatten ? IntArray() : IntArray(&axis, 1);
  SY_ASSIGN_OR_RETURN(const Shape shape, ReducedShape(x.shape, axes, keepdims));
  if (HasZero(x.shape) && !HasZero(shape)) {
    return ArgumentError("x", "with elements along the reduced axes",
                         ToString(x.shape));
  }
  return SetOutput(out, dtype, shape);
}

}  // namespace switchyard::phi
