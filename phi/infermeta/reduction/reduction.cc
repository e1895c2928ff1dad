// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/reduction/reduction.h"

#include <algorithm>
#include <array>
#include <cstddef>
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

// False if each extent is known, and none is 0.
bool MayHaveZero(const Shape& shape) {
  for (const Dim dim : shape.dims()) {
    if (MayEqual(dim, Dim(0))) return true;
  }
  return false;
}

// The shape of x with axes reduced that are true in `reduced` and some that are
// not known. No axis is reduced twice, so the number of axes says how many are
// left, all others being in doubt.
absl::StatusOr<Shape> PartlyReducedShape(
    const Shape& x, const std::array<bool, kMaxRank>& reduced, size_t count,
    bool keepdim) {
  const int rank = x.rank();
  const size_t most = std::max(rank, 1);  // A scalar takes an axis, too.
  if (count > most) {
    return ArgumentError("axis", "of at most " + std::to_string(most) + " axes",
                         std::to_string(count));
  }
  const bool all = count == most;
  if (!keepdim) return UnknownShape(all ? 0 : rank - static_cast<int>(count));
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    const bool one = all || reduced[i] || x[i] == Dim(1);
    shape.push_back(one ? Dim(1) : Dim::Unknown());
  }
  return shape;
}

absl::Status CheckBroadcastsTo(std::string_view argument, const Shape& shape,
                               const Shape& x) {
  if (MayBroadcastTo(shape, x)) return absl::OkStatus();
  return ArgumentError(argument, "such that it broadcasts to x",
                       ToString(shape) + " for x " + ToString(x));
}

}  // namespace

absl::StatusOr<Shape> ReducedShape(const Shape& x, AttrValues axis,
                                   bool keepdim) {
  std::array<bool, kMaxRank> reduced = {};
  for (size_t k = 0; k < axis.size(); ++k) {
    if (!axis[k].known()) continue;
    const int64_t a = axis[k].value();
    SY_ASSIGN_OR_RETURN(const int i,
                        NormalizeAxis("axis", a, x.rank(), /*scalar_ok=*/true));
    if (reduced[i]) {
      return ArgumentError("axis", "without repetitions",
                           std::to_string(a) + " a second time");
    }
    reduced[i] = true;
  }
  if (!axis.known()) {
    return PartlyReducedShape(x, reduced, axis.size(), keepdim);
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

absl::Status SumInferMeta(const TensorSpec& x, AttrValues axis, DataType dtype,
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

absl::Status AnyInferMeta(const TensorSpec& x, AttrValues axis, bool keepdim,
                          TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Shape shape, ReducedShape(x.shape, axis, keepdim));
  return SetOutput(out, DataType::kBool, shape);
}

absl::Status MeanInferMeta(const TensorSpec& x, AttrValues axis, bool keepdim,
                           TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Shape shape, ReducedShape(x.shape, axis, keepdim));
  return SetOutput(out, x.dtype, shape);
}

absl::Status MaxInferMeta(const TensorSpec& x, AttrValues axis, bool keepdim,
                          TensorSpec* out) {
  SY_ASSIGN_OR_RETURN(const Shape shape, ReducedShape(x.shape, axis, keepdim));
  if (HasZero(x.shape) && !MayHaveZero(shape)) {
    return ArgumentError("x", "with elements along the reduced axes",
                         ToString(x.shape));
  }
  return SetOutput(out, x.dtype, shape);
}

absl::Status SumGradInferMeta(const TensorSpec& x, const TensorSpec& out_grad,
                              AttrValues axis, bool keepdim,
                              TensorSpec* x_grad) {
  SY_ASSIGN_OR_RETURN(const Shape shape, ReducedShape(x.shape, axis, keepdim));
  SY_RETURN_IF_ERROR(CheckShape("out_grad", out_grad, shape));
  return SetOutput(x_grad, x.dtype, x.shape);
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

absl::Status ArgmaxInferMeta(const TensorSpec& x, AttrValue axis, bool keepdims,
                             bool flatten, DataType dtype, TensorSpec* out) {
  if (dtype != DataType::kInt64 && dtype != DataType::kInt32) {
    return TypeError("dtype", "int32 or int64", Name(dtype));
  }
  const absl::Span<const AttrValue> axes(&axis, flatten ? 0 : 1);
  SY_ASSIGN_OR_RETURN(const Shape shape, ReducedShape(x.shape, axes, keepdims));
  if (HasZero(x.shape) && !MayHaveZero(shape)) {
    return ArgumentError("x", "with elements along the reduced axes",
                         ToString(x.shape));
  }
  return SetOutput(out, dtype, shape);
}

}  // namespace switchyard::phi
