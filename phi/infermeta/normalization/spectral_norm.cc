// SPDX-License-Identifier: Apache-2.0
#include "phi/infermeta/normalization/spectral_norm.h"

#include <string>

#include "phi/infermeta/checks.h"

namespace switchyard::phi {

absl::Status SpectralNormInferMeta(const TensorSpec& weight,
                                   const TensorSpec& u, const TensorSpec& v,
                                   int dim, int power_iters, double /*eps*/,
                                   TensorSpec* out) {
  if (!IsFloating(weight.dtype)) {
    return TypeError("weight", "of a floating dtype", Name(weight.dtype));
  }
  SY_RETURN_IF_ERROR(CheckDtype("u", u, weight.dtype));
  SY_RETURN_IF_ERROR(CheckDtype("v", v, weight.dtype));
  SY_RETURN_IF_ERROR(CheckRankAtLeast("weight", weight, 2));
  const int rank = weight.shape.rank();
  SY_ASSIGN_OR_RETURN(const int axis, NormalizeAxis("dim", dim, rank));
  constexpr int kMaxSteps = 1000;
  if (power_iters < 0 || power_iters > kMaxSteps) {
    return ArgumentError("power_iters",
                         "in [0, " + std::to_string(kMaxSteps) + "]",
                         std::to_string(power_iters));
  }
  Shape others;
  for (int i = 0; i < rank; ++i) {
    if (i != axis) others.push_back(weight.shape[i]);
  }
  SY_ASSIGN_OR_RETURN(const Dim columns, Product(others.dims()));
  SY_RETURN_IF_ERROR(CheckShape("u", u, Shape({weight.shape[axis]})));
  SY_RETURN_IF_ERROR(CheckShape("v", v, Shape({columns})));
  return SetOutput(out, weight.dtype, weight.shape);
}

}  // namespace switchyard::phi
