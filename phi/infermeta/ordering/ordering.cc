// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/ordering/ordering.h"

#include <string>

#include "phi/infermeta/checks.h"

namespace switchyard::phi {
namespace {

absl::StatusOr<int> AxisOf(const TensorSpec& x, int64_t axis) {
  return NormalizeAxis("axis", axis, x.shape.rank(), /*scalar_ok=*/true);
}

}  // namespace

absl::Status CumsumInferMeta(const TensorSpec& x, AttrValue axis, bool flatten,
                             bool /*exclusive*/, bool /*reverse*/,
                             TensorSpec* out) {
  if (flatten) {
    SY_ASSIGN_OR_RETURN(const Dim count, Product(x.shape.dims()));
    return SetOutput(out, x.dtype, Shape({count}));
  }
  if (axis.known()) SY_RETURN_IF_ERROR(AxisOf(x, axis.value()).status());
  return SetOutput(out, x.dtype, x.shape);
}

absl::Status TopkInferMeta(const TensorSpec& x, AttrValue k, int axis,
                           bool /*largest*/, bool /*sorted*/, TensorSpec* out,
                           TensorSpec* indices) {
  SY_ASSIGN_OR_RETURN(const int a, AxisOf(x, axis));
  const bool scalar = x.shape.rank() == 0;
  const Dim extent = scalar ? Dim(1) : x.shape[a];
  const int64_t least = scalar ? 1 : 0;
  if (k.known() &&
      (k.value() < least || (extent.known() && k.value() > extent.value()))) {
    return RangeError(
        "k", "in [" + std::to_string(least) + ", " + ToString(extent) + "]",
        std::to_string(k.value()));
  }
  Shape shape = x.shape;
  if (!scalar) shape[a] = k.dim();
  SY_RETURN_IF_ERROR(SetOutput(out, x.dtype, shape));
  return SetOutput(indices, DataType::kInt64, shape);
}

absl::Status ArgsortInferMeta(const TensorSpec& x, int axis,
                              bool /*descending*/, bool /*stable*/,
                              TensorSpec* out, TensorSpec* indices) {
  SY_RETURN_IF_ERROR(AxisOf(x, axis).status());
  SY_RETURN_IF_ERROR(SetOutput(out, x.dtype, x.shape));
  return SetOutput(indices, DataType::kInt64, x.shape);
}

absl::Status SimilarityFocusInferMeta(const TensorSpec& x, int axis,
                                      absl::Span<const int> indexes,
                                      TensorSpec* out) {
  if (x.shape.rank() != 4) {
    return ArgumentError("x", "of rank 4", ToString(x.shape));
  }
  if (axis < 1 || axis > 3) {
    return RangeError("axis", "in [1, 3]", std::to_string(axis));
  }
  if (indexes.empty()) {
    return ArgumentError("indexes", "one number or more", "none");
  }
  const Dim extent = x.shape[axis];
  for (const int index : indexes) {
    if (index >= 0 && (!extent.known() || index < extent.value())) continue;
    return RangeError("indexes", "in [0, " + ToString(extent) + ")",
                      std::to_string(index));
  }
  return SetOutput(out, x.dtype, x.shape);
}

}  // namespace switchyard::phi
