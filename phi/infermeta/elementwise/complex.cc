// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/elementwise/complex.h"

#include "phi/infermeta/checks.h"
#include "phi/infermeta/elementwise/elementwise.h"

namespace switchyard::phi {

absl::Status RealOfInferMeta(const TensorSpec& x, TensorSpec* out) {
  if (!IsComplex(x.dtype)) return UnchangedInferMeta(x, out);
  return SetOutput(out, RealOf(x.dtype), x.shape);
}

absl::Status PartInferMeta(const TensorSpec& x, TensorSpec* out) {
  if (IsComplex(x.dtype)) return RealOfInferMeta(x, out);
  return TypeError("x", "complex64 or complex128", Name(x.dtype));
}

absl::Status ComplexInferMeta(const TensorSpec& real, const TensorSpec& imag,
                              TensorSpec* out) {
  if (real.dtype != DataType::kFloat32 && real.dtype != DataType::kFloat64) {
    return TypeError("real", "float32 or float64", Name(real.dtype));
  }
  SY_RETURN_IF_ERROR(CheckDtype("imag", imag, real.dtype));
  SY_ASSIGN_OR_RETURN(const Shape shape,
                      BroadcastShapes("imag", real.shape, imag.shape));
  return SetOutput(out, ComplexOf(real.dtype), shape);
}

}  // namespace switchyard::phi
