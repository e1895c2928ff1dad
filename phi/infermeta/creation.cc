// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/creation.h"

#include "phi/infermeta/checks.h"

namespace switchyard::phi {

absl::Status FullInferMeta(IntArray shape, const Scalar& /*value*/,
                           DataType dtype, MetaTensor* out) {
  if (dtype == DataType::kUndefined) {
    return TypeError("dtype", "defined", Name(dtype));
  }
  SY_ASSIGN_OR_RETURN(const Shape out_shape, ShapeFromAttribute(shape, dtype));
  return SetOutput(out, dtype, out_shape);
}

absl::Status FullLikeInferMeta(const MetaTensor& x, const Scalar& /*value*/,
                               DataType dtype, MetaTensor* out) {
  return SetOutput(out, dtype == DataType::kUndefined ? x.dtype : dtype,
                   x.shape);
}

absl::Status CheckRng(const MetaTensor* rng) {
  if (rng == nullptr) return absl::OkStatus();
  SY_RETURN_IF_ERROR(CheckDtype("rng", *rng, DataType::kInt64));
  return CheckShape("rng", *rng, Shape({2}));
}

absl::Status RandomInferMeta(const MetaTensor* rng, IntArray shape,
                             DataType dtype, MetaTensor* out) {
  SY_RETURN_IF_ERROR(CheckRng(rng));
  if (!IsFloating(dtype)) {
    return TypeError("dtype", "floating", Name(dtype));
  }
  SY_ASSIGN_OR_RETURN(const Shape out_shape, ShapeFromAttribute(shape, dtype));
  return SetOutput(out, dtype, out_shape);
}

}  // namespace switchyard::phi
